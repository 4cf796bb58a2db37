"""Holds records against the schema: validate.py SCHEMA FILE...; prints what is wrong with each.

Prints nothing and exits 0 when every line is valid; - is standard input.
"""
import json
import sys

import jsonschema


def main(schema_path, *paths):
    with open(schema_path, encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = 0
    for path in paths:
        with sys.stdin if path == "-" else open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                for error in validator.iter_errors(json.loads(line)):
                    where = "/".join(map(str, error.absolute_path)) or "(top)"
                    print(f"{path}:{number}: {where}: {error.message[:200]}")
                    wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
