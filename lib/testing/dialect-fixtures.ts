import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "../relay/wire/canonical/json";
import type { Frame } from "../relay/wire/canonical/machine";

const root = fileURLToPath(new URL("../relay/wire/dialects/", import.meta.url));

/** The files in a dialect's folder, or in a folder within it. */
export function listDialectFiles(dialect: string, folder = ""): string[] {
  return readdirSync(`${root}${dialect}/${folder}`).sort();
}

export function readJsonFixture(dialect: string, name: string): Json {
  return JSON.parse(readFileSync(`${root}${dialect}/__fixtures__/${name}.json`, "utf8")) as Json;
}

const NAMED = /^([a-zA-Z_.]+) (?=\{)/;

/** A recorded stream: one event per line, with its name in front where the dialect names events. */
export function readChunksFixture(dialect: string, name: string): Frame[] {
  return readFileSync(`${root}${dialect}/__fixtures__/${name}.chunks.txt`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const event = NAMED.exec(line)?.[1] ?? null;
      return { event, data: event === null ? line : line.slice(event.length + 1) };
    });
}

/** Scenarios that a format has no words for, with the reason. */
export type Absent = {
  answers?: Record<string, string>;
  requests?: Record<string, string>;
};

export function readAbsent(dialect: string): Absent {
  const name = "absent.json";
  return listDialectFiles(dialect, "__fixtures__").includes(name)
    ? (JSON.parse(readFileSync(`${root}${dialect}/__fixtures__/${name}`, "utf8")) as Absent)
    : {};
}
