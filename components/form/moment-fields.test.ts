import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("no field takes a date and a time of day in one: browsers cut off its AM and PM", () => {
  const files = ["app", "components"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => readFileSync(file, "utf8").includes("datetime-local"))).toEqual([]);
});
