// Generates src/lib/types.ts from src/lib/contract.json, the schema of the data exchanged between engine and window. With --check,
// only checks that the file is up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const fileUrl = (name) => new URL(`src/lib/${name}`, import.meta.url);
const { definitions } = JSON.parse(readFileSync(fileUrl("contract.json"), "utf8"));

const schema = { title: "Contract", type: "object", additionalProperties: false, definitions };
const output = await compile(schema, "Contract", {
  additionalProperties: false,
  bannerComment: "// Generated from contract.json by `npm run contract`; do not edit.",
  format: true,
  style: { printWidth: 130 },
  unreachableDefinitions: true,
});
const types = output
  .replace(/export interface Contract \{\}\n/, "")
  .replace(/\n \*\n \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "[^"]+"\./g, "")
  .replace(/\/\*\*\n \* This interface was referenced by `Contract`'s JSON-Schema\n \* via the `definition` "[^"]+"\.\n \*\/\n/g, "");

if (process.argv.includes("--check")) {
  if (readFileSync(fileUrl("types.ts"), "utf8") !== types) {
    console.error("src/lib/types.ts is outdated: run `npm run contract`");
    process.exit(1);
  }
} else {
  writeFileSync(fileUrl("types.ts"), types);
}
