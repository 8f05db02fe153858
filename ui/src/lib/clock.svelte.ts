// A reactive clock for relative times; it only ticks while a time is shown.

import { createSubscriber } from "svelte/reactivity";

const INTERVAL = 30_000;

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, INTERVAL);
  return () => clearInterval(timer);
});

export const clock = {
  get now(): number {
    subscribe();
    return Date.now();
  },
};
