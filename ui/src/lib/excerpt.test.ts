import { expect, it } from "vitest";
import { excerpt } from "./excerpt";

const PAGE = "# Ports\n\nOne port is needed.\n\n| Port | Use |\n|---|---|\n| 7443 | agent |\n\n```sh\nfw doctor --now\n```\n\n## Proxies\n\nNone.";

it("finds the lines of a passage", () => {
  expect(excerpt(PAGE, "One port is needed.\nPort Use\n7443 agent\nfw doctor --now")).toBe(
    "One port is needed.\n\n| Port | Use |\n|---|---|\n| 7443 | agent |\n\n```sh\nfw doctor --now\n```",
  );
  expect(excerpt(PAGE, "something else altogether")).toBe(null);
});
