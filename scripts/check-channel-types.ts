import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { findChannelTypeNumbers, isChecked } from "./channel-type-numbers";

// Only the catalogue of channel types (lib/provider-catalogue) may use their numbers.

const FILES_MIN = 300;
const files = ["app", "components", "db", "lib", "server", "tools/import"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file).split(sep).join("/"))
    .filter(isChecked),
);
if (files.length < FILES_MIN) throw new Error(`only ${files.length} files were looked at`);

const found = files.flatMap((file) =>
  findChannelTypeNumbers(file, readFileSync(file, "utf8")).map(({ line, text }) => `${file}:${line}  ${text}`),
);
if (found.length > 0) {
  console.log(
    `${found.join("\n")}\n\nAsk the type's facts (lib/provider-catalogue) for what you need to know, or name it by CHANNEL_TYPE.`,
  );
  process.exitCode = 1;
}
