import { expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { decodeSession, sessionSecret } from "@/lib/auth/session-token";
import { authOptions } from "@/lib/oauth/next-auth";
import { call, createPerson, PASSWORD, setUpApi } from "./harness";

const api = setUpApi();
const options = () => authOptions(new Headers({ "x-forwarded-for": "198.51.100.9" }));
const tokenOf = (cookie: string) => cookie.slice("session=".length);

test("next-auth and /api share one session: each reads what the other wrote", async () => {
  const { jwt, cookies } = options();
  expect(cookies?.sessionToken?.name).toBe("session");
  const read = await jwt?.decode?.({ token: tokenOf(api.alice.cookie), secret: sessionSecret() });
  expect(read).toEqual({ uid: api.alice.id, sv: 1, sid: expect.any(String) });
  const written = (await jwt?.encode?.({ token: read ?? {}, secret: sessionSecret() })) ?? "";
  const cookie = `session=${written}`;
  const answer = await call(userApi, "GET /api/user/self", { as: { ...api.alice, cookie } });
  expect(answer.json.data.id).toBe(api.alice.id);
});

test("a revoked session is none for next-auth either", async () => {
  const user = await createPerson(api.database, "gone", 1);
  await call(userApi, "POST /api/user/manage", { as: api.admin, body: { id: user.id, action: "disable" } });
  const token = tokenOf(user.cookie);
  expect(await decodeSession(token)).not.toBeNull();
  expect(await options().jwt?.decode?.({ token, secret: sessionSecret() })).toBeNull();
});

test("the cookie says no more than who, which version and which session; the role is read afresh", async () => {
  expect(await decodeSession(tokenOf(api.root.cookie))).toEqual({ uid: api.root.id, sv: 1, sid: expect.any(String) });
});

test("its credentials provider signs in like /api and refuses with the same message key", async () => {
  const [provider] = options().providers as { options?: { authorize(credentials: object): Promise<unknown> } }[];
  const authorize = provider?.options?.authorize ?? (() => Promise.reject(new Error("no provider")));
  expect(await authorize({ username: "alice", password: PASSWORD })).toMatchObject({ id: String(api.alice.id) });
  await expect(authorize({ username: "alice", password: "wrong-one" })).rejects.toThrow("credentialsWrong");
});
