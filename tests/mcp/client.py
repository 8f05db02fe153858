#!/usr/bin/env python3
"""Talks to `precedent mcp` with the protocol's official Python SDK: lists the tools, calls each, asks for progress, cancels.

    python client.py PRECEDENT CASEBOOK

The casebook holds the sample (`precedent import sample`). Prints what it did; fails on the first thing that is not as it should be.
"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCE = "ferrywire/ferrywire"
CALLS = {
    "search_issues": {"query": "replication slot fills the disk", "limit": 3},
    "find_duplicates": {"number": 13},
    "find_fixes": {"text": "agent stops reading its queue after a reload"},
    "read_thread": {"key": f"{SOURCE}#2"},
    "add_note": {"kind": "lesson", "title": "Slots fill the disk", "body": "Restart the heartbeat."},
    "record_verdict": {"key": f"{SOURCE}#13", "other": f"{SOURCE}#2", "verdict": "related"},
    "write_brief": {"key": f"{SOURCE}#13"},
    "write_article": {"key": f"{SOURCE}#2"},
    "ask": {"text": "agent stops reading its queue after a reload"},
    "status": {},
}


async def main(binary: str, casebook: str) -> None:
    server = StdioServerParameters(command=binary, args=["--casebook", casebook, "mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        print("server", hello.server_info.name, hello.server_info.version, "protocol", hello.protocol_version)
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(listed) == set(CALLS), sorted(listed)
        for name, arguments in CALLS.items():
            reply = await session.call_tool(name, arguments)
            assert not reply.is_error, (name, reply.content)
            # The SDK checks the structured part against the tool's schema.
            assert reply.structured_content and "untrusted data" in reply.content[0].text, name
            print(f"{name}: {len(reply.content[0].text)} characters")
        wrong = await session.call_tool("find_duplicates", {"number": 1_000_000})
        assert wrong.is_error and "not found" in wrong.content[0].text, wrong
        told = []

        async def progress(done, total, message):
            told.append((done, total, message))

        await session.call_tool("search_issues", {"query": "agent"}, progress_callback=progress)
        print("progress notes:", len(told))
        # Half of these are given up before they are answered; the server goes on.
        waiting = [asyncio.create_task(session.call_tool("find_fixes", {"text": f"timeout {n}"})) for n in range(20)]
        await asyncio.sleep(0.01)
        for task in waiting[::2]:
            task.cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        kept = [r for r in ended if not isinstance(r, BaseException)]
        assert len(kept) >= 10 and all(not r.is_error for r in kept), ended
        await session.call_tool("status", {})
        print("cancelled:", len(ended) - len(kept), "answered:", len(kept))
    print("ok")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
