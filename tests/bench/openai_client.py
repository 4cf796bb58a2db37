"""The same questions, asked with the official client and asyncio.

    openai_client.py URL REQUESTS AT_ONCE PROMPT

asks REQUESTS times for a reply to PROMPT, which is a file, AT_ONCE at a time. Prints the seconds
of processor time and of the clock, and the most memory in KiB; imports are not counted.
"""
import asyncio
import resource
import sys
import time

import openai


async def main():
    url, requests, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open(sys.argv[4]) as f:
        messages = [{"role": "user", "content": f.read()}]
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    left = iter(range(requests))
    replies = []

    async def worker():
        for _ in left:
            answer = await client.chat.completions.create(model="x", messages=messages)
            replies.append(answer.choices[0].message.content)

    cpu, begin = time.process_time(), time.monotonic()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    assert len(replies) == requests and all(replies)
    print(f"{time.process_time() - cpu:.3f} {time.monotonic() - begin:.3f}",
          resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


asyncio.run(main())
