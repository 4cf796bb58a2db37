#!/bin/bash
# The comparison itself: what equals what, and what a difference is called.
. "$(dirname "$0")/../tap.sh"
PYTHONPATH=$ROOT/lib/harness "$PYTHON" - >got <<'EOF'
import math
import torch
from torch import tensor as T
from geak_harness.compare import compare

F8 = torch.float8_e4m3fn
nan, inf = math.nan, math.inf
for name, got, want, tolerance in (
        ("int64", T([2**53 + 1]), T([2**53]), {}),
        ("uint64", T([2**63 + 1], dtype=torch.uint64), T([2**63], dtype=torch.uint64), {}),
        ("bool", T([True]), T([False]), {}),
        ("float8", T([1.0, 4.0]).to(F8), T([1.0, 2.0]).to(F8), {}),
        ("same float8", T([1.0, 4.0]).to(F8), T([1.0, 4.0]).to(F8), {}),
        ("no dimension", T(1.0), T([1.0]), {}),
        ("empty", torch.empty(0, 3), torch.empty(0, 3), {}),
        ("other empty", torch.empty(3, 0), torch.empty(0, 3), {}),
        ("nan", T(nan), T(nan), {}),
        ("nan refused", T(nan), T(nan), {"equal_nan": False}),
        ("inf", T(inf), T(inf), {}),
        ("other inf", T(-inf), T(inf), {}),
        ("finite", T(1.0), T(inf), {"rtol": 1}),
        ("complex", T([1 + 1e-7j]), T([1 + 0j]), {}),
        ("conjugate", T([1 + 1j]), T([1 - 1j]).conj(), {}),
        ("other conjugate", T([1 + 1j]), T([1 - 1j]), {}),
        ("large float", 1e300, 2e300, {}),
        ("larger than floats", 10**400, 1.0, {}),
        ("int for float", 1, 1.0, {}),
        ("bool for float", True, 1.0, {}),
        ("bool for int", True, 1, {}),
        ("order of keys", {"b": 1, "a": 2}, {"a": 2, "b": 1}, {}),
        ("keys that were numbers", {"1": 1}, {1: 1}, {}),
        ("other keys", {"b": 1}, {"a": 1}, {})):
    check = compare(got, want, tolerance, "result")
    print(f"{name}: {check.get('error', 'equal').removeprefix('result: ')}")
EOF
is "$(cat got)" "int64: 1 of 1 values are wrong, the first at [0]: 9007199254740992 was expected, not 9007199254740993
uint64: 1 of 1 values are wrong, the first at [0]: 9223372036854775808 was expected, not 9223372036854775809
bool: 1 of 1 values are wrong, the first at [0]: 0 was expected, not 1
float8: 1 of 2 values are wrong, the first at [1]: 2 was expected, not 4
same float8: equal
no dimension: shape [1] was expected, not []
empty: equal
other empty: shape [0, 3] was expected, not [3, 0]
nan: equal
nan refused: 1 of 1 values are wrong, the first at []: nan was expected, not nan
inf: equal
other inf: 1 of 1 values are wrong, the first at []: inf was expected, not -inf
finite: 1 of 1 values are wrong, the first at []: inf was expected, not 1
complex: equal
conjugate: equal
other conjugate: 1 of 2 values are wrong, the first at [0, 1]: -1 was expected, not 1
large float: 1 of 1 values are wrong, the first at []: 2e+300 was expected, not 1e+300
larger than floats: 1 of 1 values are wrong, the first at []: 1 was expected, not inf
int for float: equal
bool for float: 1.0 was expected, not True
bool for int: 1 was expected, not True
order of keys: equal
keys that were numbers: equal
other keys: the keys ['a'] were expected, not ['b']" 'what equals what'
done_testing
