import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  clearScreen: false,
  server: { port: 1420, strictPort: true, fs: { allow: [".."] } },
  build: {
    target: ["es2022", "safari17.5"],
    // The policy of the window allows no data: script and no inline style; keep every asset a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The window and the prompt.
    rolldownOptions: { input: ["index.html", "prompt.html"] },
  },
  // Tests show components in a page, as the window does; left to itself Svelte would be the one for servers.
  resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
  test: { environment: "jsdom", include: ["src/**/*.test.ts"] },
});
