import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";

test("every action that the audit log can hold has a name in both languages", () => {
  const sources = readdirSync("lib", { recursive: true, encoding: "utf8" })
    .filter((file) => /commands\.ts$/.test(file))
    .map((file) => readFileSync(`lib/${file}`, "utf8"))
    .filter((source) => source.includes("writeAudit"));
  const find = (pattern: RegExp) =>
    sources.flatMap((source) => [...source.matchAll(pattern)].map(([, found = ""]) => found));
  const kinds = new Set(find(/action: [^\n]*?"([a-z]+)\.[a-z-]+"/g));
  const actions = new Set(find(/"([a-z]+\.[a-z-]+)"/g).filter((action) => kinds.has(action.split(".")[0] ?? "")));
  expect(actions.size).toBeGreaterThan(15);
  const nameOf = (action: string) => action.replaceAll(/[.-]/g, "_");
  const names: Record<string, string>[] = [zh.audit.actions, en.audit.actions];
  expect([...actions].filter((action) => names.some((texts) => !texts[nameOf(action)])).sort()).toEqual([]);
});
