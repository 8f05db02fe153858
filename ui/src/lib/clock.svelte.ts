// The time of the window: "2 min ago" grows by itself wherever it is shown, and nothing ticks where no time is shown.

import { createSubscriber } from "svelte/reactivity";

const EVERY = 30_000;

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, EVERY);
  return () => clearInterval(timer);
});

export const clock = {
  get now(): number {
    subscribe();
    return Date.now();
  },
};
