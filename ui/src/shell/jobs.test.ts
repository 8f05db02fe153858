import { expect, it } from "vitest";
import { Jobs } from "./jobs.svelte";

it("a refused job does not hide the running one", async () => {
  const jobs = new Jobs();
  let finish = () => {};
  const first = jobs.run("remove", () => new Promise<void>((resolve) => (finish = resolve)));
  await expect(jobs.run("remove", () => Promise.reject(new Error("busy")))).rejects.toThrow("busy");
  expect(jobs.running.map((job) => job.kind)).toEqual(["remove"]);
  finish();
  await first;
  expect(jobs.running).toEqual([]);
});
