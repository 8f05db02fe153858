import { expect, it } from "vitest";
import { openWindow, setUpPage, press, settle, text } from "../testing/testPage";

setUpPage();

it("shows input sizes in words, details in tokens", async () => {
  const app = await openWindow("full");
  app.go("settings");
  await settle();
  expect(text("tr[data-model] td")).toBe("about 190 words per passage");
  press("i");
  await settle();
  expect(text("tr[data-model] td")).toBe("about 190 words per passage 256 tokens, 384 dimensions");
});
