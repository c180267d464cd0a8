import { afterAll, beforeAll, expect } from "vitest";
import { z } from "zod";
import { users } from "@/db/schema";
import { createSession, type NewSession } from "@/lib/auth/session-commands";
import { consoleDatabase } from "@/lib/console-database";
import { hashPassword, sha256Hex } from "@/lib/crypto";
import { documentPath } from "@/lib/http/openapi/naming";
import { apiReplies } from "@/lib/http/openapi/replies";
import { findRoute } from "@/lib/http/route";
import type { RelayHost } from "@/lib/playground/relay-host";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";

type Handler = (request: Request, context: { params: Promise<{ path?: string[] }> }) => Promise<Response>;
export type Table = { GET: Handler; POST: Handler; PUT: Handler; DELETE: Handler };

export type Person = { id: number; username: string; password: string; accessToken: string; cookie: string };
export type CallOptions = { as?: Person; by?: "cookie" | "token"; body?: unknown; headers?: Record<string, string> };
/** `json` is whatever the server sent; each test asserts its shape. */
export type Answer = { status: number; headers: Headers; json: ReturnType<typeof JSON.parse> };

export const PASSWORD = "password-1";
let hashed: Promise<string> | undefined;

/** A new database for the test file with root, an administrator and two ordinary users. */
export function setUpApi() {
  const state = {} as { database: TestDatabase; root: Person; admin: Person; alice: Person; bob: Person };
  beforeAll(async () => {
    state.database = await createTestDatabase();
    process.env.DATABASE_URL = state.database.url;
    state.root = await createPerson(state.database, "root", 100);
    state.admin = await createPerson(state.database, "admin", 10);
    state.alice = await createPerson(state.database, "alice", 1);
    state.bob = await createPerson(state.database, "bob", 1);
  });
  afterAll(async () => {
    await stopRelayHost();
    await consoleDatabase().end();
    await state.database.drop();
  });
  return state;
}

/** The playground's relay would go on asking a database that is gone. Found by its name, so that no other test loads the relay. */
async function stopRelayHost(): Promise<void> {
  await (await (globalThis as { weirRelayHost?: Promise<RelayHost> }).weirRelayHost)?.stop();
}

export async function createPerson(database: TestDatabase, username: string, role: number): Promise<Person> {
  hashed ??= hashPassword(PASSWORD);
  const accessToken = `access-${username}-0123456789abcdef`;
  const [row] = await database.db
    .insert(users)
    .values({
      username,
      displayName: username,
      role,
      email: `${username}@weir.example`,
      passwordHash: await hashed,
      accessTokenHash: sha256Hex(accessToken),
    })
    .returning({ id: users.id });
  if (!row) throw new Error("no row");
  return { id: row.id, username, password: PASSWORD, accessToken, cookie: await signInAs(database, row.id) };
}

/** The cookie of a new session of an account. */
export async function signInAs(
  database: TestDatabase,
  userId: number,
  from: Partial<NewSession> = {},
): Promise<string> {
  const where = { clientIp: "198.51.100.1", userAgent: "", method: "password", ...from } as const;
  const { token } = await createSession(database.db, { userId, ...where });
  return `session=${token}`;
}

/** Calls a route table as Next.js does: with the path below the resource as segments. */
export async function call(table: Table, line: string, options: CallOptions = {}): Promise<Answer> {
  const [method = "GET", target = ""] = line.split(" ");
  const url = new URL(target, "http://weir.example");
  const path = url.pathname
    .split("/")
    .slice(3)
    .filter((segment) => segment !== "");
  const { as, by = "cookie", body } = options;
  const headers = new Headers(options.headers);
  if (as && by === "cookie") headers.set("cookie", as.cookie);
  if (as && by === "token") headers.set("authorization", as.accessToken);
  if (as && !headers.has("new-api-user")) headers.set("new-api-user", String(as.id));
  const init = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const request = new Request(url, { method, headers, ...init });
  const response = await table[method as keyof Table](request, { params: Promise.resolve({ path }) });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? true;
  // An export is a file, which may have the type of lines of JSON.
  const json = text === "" ? null : isJson && !response.headers.has("content-disposition") ? JSON.parse(text) : text;
  if (json?.success === true) expectDescribed(table[method as keyof Table], method, url.pathname, path, json);
  return { status: response.status, headers: response.headers, json };
}

const WARNINGS = z.array(z.strictObject({ field: z.string(), code: z.string(), message: z.string() })).optional();

/** Checks that a successful reply has exactly the fields of the OpenAPI document. */
function expectDescribed(handler: Handler, method: string, pathname: string, path: string[], json: object) {
  const found = findRoute(handler as Parameters<typeof findRoute>[0], method, path);
  if (!found) return;
  const base = `/${pathname.split("/").slice(1, 3).join("/")}`;
  const line = `${method} ${documentPath(base, found.path)}`;
  const reply = apiReplies[line];
  expect(reply, `${line} has no reply in lib/http/openapi/replies.ts`).toBeDefined();
  const whole =
    reply && z.strictObject({ success: z.literal(true), message: z.string(), warnings: WARNINGS, ...reply.shape });
  const issues = whole?.safeParse(json).error?.issues ?? [];
  expect(issues.slice(0, 3), `${line} answers otherwise than described`).toEqual([]);
}
