import { describe, expect, test } from "vitest";
import { attacksOnHttp, listTestFiles, notAboutSql, projectOf, storedByTheRelay } from "./projects";

const root = process.cwd();
const all = listTestFiles(root, false);
const aboutSql = listTestFiles(root, true);

describe("which tests run where", () => {
  test("every test file runs in one project and no other", () => {
    const files = Object.values(all).flat();
    expect(new Set(files).size).toBe(files.length);
    expect(files).toContain("tests/projects.test.ts");
    for (const list of Object.values(all)) expect(list).not.toEqual([]);
  });

  test("what uses the database, replaces modules or starts processes is told from its text and place", () => {
    expect(projectOf("lib/new/new.test.ts", 'import { price } from "./price";')).toBe("pure");
    expect(projectOf("lib/new/new.test.ts", 'import { createTestDatabase } from "@/lib/testing/database";')).toBe(
      "database",
    );
    expect(projectOf("tests/api/new.test.ts", 'import { setUpApi } from "./harness";')).toBe("database");
    expect(projectOf("tests/attacks/new.test.ts", '} from "../api/harness";')).toBe("database");
    expect(projectOf("tests/api/new.test.ts", 'import { setUpApi } from "./harness";\nvi.mock("x")')).toBe("isolated");
    expect(projectOf("tests/api/new.test.ts", 'import { routeTables } from "@/app/api/openapi.json/tables";')).toBe(
      "database",
    );
    expect(projectOf("tests/chaos/new.test.ts", "")).toBe("process");
    expect(projectOf("server/new.test.ts", 'import { fork } from "node:child_process";')).toBe("process");
    expect(projectOf("server/new.test.ts", 'import { superviseChild } from "./children";')).toBe("process");
    expect(projectOf("server/new.test.ts", 'import { listenProblem } from "./ports";')).toBe("pure");
    expect(projectOf("tests/simulation/charges.test.ts", "")).toBe("simulation");
  });

  test("on the oldest PostgreSQL every test of the database runs but those that are named with a reason", () => {
    const left = all.database.filter((file) => !aboutSql.database.includes(file));
    const reasons = notAboutSql.map(({ files }) => left.filter((file) => files.test(file)).length);
    expect(reasons.every((count) => count > 0)).toBe(true);
    expect(left).toHaveLength(reasons.reduce((sum, count) => sum + count));
    expect(aboutSql.database.length).toBeGreaterThan(left.length);
    expect(aboutSql.isolated).toContain("tests/api/channel.test.ts");
  });

  test("every file that the rule for the oldest PostgreSQL names is there", () => {
    for (const name of storedByTheRelay.split("|"))
      expect(aboutSql.database).toContainEqual(
        expect.stringMatching(new RegExp(`^tests/relay/\\w+/${name}\\.test\\.ts$`)),
      );
    for (const name of attacksOnHttp.split("|")) {
      expect(all.database).toContain(`tests/attacks/${name}.test.ts`);
      expect(aboutSql.database).not.toContain(`tests/attacks/${name}.test.ts`);
    }
  });
});
