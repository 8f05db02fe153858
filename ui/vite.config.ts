import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  clearScreen: false,
  server: { port: 1420, strictPort: true, fs: { allow: [".."] } },
  build: {
    target: ["es2022", "safari17.5"],
    // The window's policy allows no data: scripts and no inline styles, so every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The pages of the window and the prompt.
    rolldownOptions: { input: ["index.html", "prompt.html"] },
  },
  // Tests mount components in a page, as the window does; by default, Svelte's server build would be used.
  resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
  test: { environment: "jsdom", include: ["src/**/*.test.ts"] },
});
