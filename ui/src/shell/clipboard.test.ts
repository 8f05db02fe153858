import { expect, it } from "vitest";
import { itemLink, itemMarkdown, type CurrentItem } from "./clipboard";

const subject: CurrentItem = {
  key: "acme/app#12", title: "Pump [3] stops\n after a day", kind: "issue", state: "open", state_reason: null,
  url: "https://tracker.example/12", body: null,
};

it("copies the text of open items only", () => {
  expect(itemMarkdown(subject)).toBe("[acme/app#12](https://tracker.example/12): Pump \\[3\\] stops after a day");
  expect(itemMarkdown({ ...subject, body: "It stops.\n" })).toBe(
    "# Pump \\[3\\] stops after a day\n\n[acme/app#12](https://tracker.example/12)\n\nIt stops.\n",
  );
  expect(itemMarkdown({ ...subject, title: " " })).toBe("[acme/app#12](https://tracker.example/12)");
});

it("links to Precedent without a tracker address", () => {
  expect(itemLink({ ...subject, url: null })).toBe("precedent://item/acme/app%2312");
  expect(itemLink({ ...subject, key: "acme/app:50% off", url: null })).toBe("precedent://item/acme/app:50%25%20off");
});
