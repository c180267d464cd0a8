import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import zh from "@/messages/zh.json";

const PATTERNS = [
  /AppError\(\s*"\w+",\s*"(\w+)"/g,
  /(?:message|error): "([a-z]+[A-Z]\w*)"/g,
  /\.(?:string|number|int|array|union|enum)\("([a-z]+[A-Z]\w*)"/g,
  /(?<!Math)\.(?:min|max|regex)\([^)"]*,\s*"(\w+)"\)/g,
];

test("every error that can be thrown has its text", () => {
  const files = ["lib", "app/api", "tools/import"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test)\.ts$/.test(file) && !/^(option\/definition|testing)/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  expect(files.length).toBeGreaterThan(50);
  const keys = new Set(
    files.flatMap((file) => {
      const source = readFileSync(file, "utf8");
      return PATTERNS.flatMap((pattern) => [...source.matchAll(pattern)].map(([, key = ""]) => key));
    }),
  );
  expect(keys.size).toBeGreaterThan(50);
  expect([...keys].filter((key) => !Object.hasOwn(zh.errors, key)).sort()).toEqual([]);
});
