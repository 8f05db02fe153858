// Makes src/lib/types.ts of src/lib/contract.json, the schema of what goes between engine and window. With --check it only looks
// whether that was done.

import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const at = (name) => new URL(`src/lib/${name}`, import.meta.url);
const { definitions } = JSON.parse(readFileSync(at("contract.json"), "utf8"));

const schema = { title: "Contract", type: "object", additionalProperties: false, definitions };
const made = await compile(schema, "Contract", {
  additionalProperties: false,
  bannerComment: "// Made by `npm run contract` of contract.json, the engine's types as they are sent. Not written by hand.",
  format: true,
  style: { printWidth: 130 },
  unreachableDefinitions: true,
});
const types = made
  .replace(/export interface Contract \{\}\n/, "")
  .replace(/\n \*\n \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "[^"]+"\./g, "")
  .replace(/\/\*\*\n \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "[^"]+"\.\n \*\/\n/g, "");

if (process.argv.includes("--check")) {
  if (readFileSync(at("types.ts"), "utf8") !== types) {
    console.error("src/lib/types.ts is not what contract.json says: run `npm run contract`.");
    process.exit(1);
  }
} else {
  writeFileSync(at("types.ts"), types);
}
