// A reactive clock for relative times; it ticks only while a time is shown.

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
