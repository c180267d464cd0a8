import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { sealerOf } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { run } from "@/server/commands/doctor";

const SECRET = "doctor-secret-doctor-secret";
const folder = createRunFolder("doctor");
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  writeFileSync(join(folder, "secret"), `${SECRET}\n`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

type Report = {
  code: number;
  text: string;
  findings: Record<string, { level: string; text: string; advice?: string }>;
};

async function examine(env: Record<string, string | undefined> = {}): Promise<Report> {
  const defaults = { DATABASE_URL: database.url, WEIR_DATA_DIR: folder, WEIR_SECRET: undefined, PORT: "0" };
  for (const [name, value] of Object.entries({ ...defaults, ...env })) vi.stubEnv(name, value);
  let text = "";
  vi.spyOn(process.stdout, "write").mockImplementation((part) => {
    text += String(part);
    return true;
  });
  // Nothing listens there.
  const code = await run({ json: true, "egress-url": "https://127.0.0.1:9/" });
  vi.restoreAllMocks();
  const { findings } = JSON.parse(text) as { findings: { check: string; level: string; text: string }[] };
  return { code, text, findings: Object.fromEntries(findings.map((finding) => [finding.check, finding])) };
}

test("all is well: exit code 0, a line for every check", async () => {
  const { code, findings } = await examine();
  expect(Object.values(findings).filter(({ level }) => level === "problem")).toEqual([]);
  expect(code).toBe(0);
  for (const check of ["node", "time zones", "port", "data directory", "disk", "database version", "database rights"]) {
    expect(findings, check).toHaveProperty(check);
  }
  for (const check of ["clock", "secret", "migrations", "mail", "egress", "database connections"]) {
    expect(findings, check).toHaveProperty(check);
  }
});

test("a secret that is not the database's is a problem, and no secret or password is printed", async () => {
  await database.sql`insert into options (key, value, sealed)
    values ('secret_check', ${sealerOf("another-secret-another").seal("weir")}, true)`;
  const { code, text, findings } = await examine();
  expect([code, findings.secret]).toEqual([1, expect.objectContaining({ level: "problem" })]);
  expect(text).not.toContain(SECRET);
  await database.sql`delete from options`;
});

test("a database that is away is a problem with what to do, and the password of its address is not printed", async () => {
  const { code, text, findings } = await examine({ DATABASE_URL: "postgres://weir:hunter22@127.0.0.1:9/weir" });
  expect([code, findings.database]).toEqual([1, expect.objectContaining({ level: "problem" })]);
  expect(findings.database?.advice).toContain("DATABASE_URL");
  expect(text).not.toContain("hunter22");
});

test("a port of another program and a mail server that is away are problems", async () => {
  const other = createServer((_request, response) => void response.end("hello"));
  await new Promise<void>((done) => void other.listen(0, "0.0.0.0", () => done()));
  await database.sql`insert into options (key, value) values ('SMTPServer', '127.0.0.1'), ('SMTPPort', '9'),
    ('SMTPFrom', 'weir@weir.example')`;
  const { code, findings } = await examine({ PORT: String((other.address() as AddressInfo).port) });
  other.close();
  expect([code, findings.port?.level, findings.mail?.level]).toEqual([1, "problem", "problem"]);
  await database.sql`delete from options`;
});
