// Root moves a sign-in provider to another address, say from github.com to a GitHub Enterprise Server, or to a WeChat
// server of somebody else. Ids are numbered by each server anew: whoever has the same id there must not get the account.
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { users } from "@/db/schema";
import { type FakeOAuthProvider, startFakeOAuthProvider } from "@/lib/testing/fake-oauth-provider";
import { createPerson } from "../api/harness";
import { openBrowser, setOptions, setUpOAuth, signInBy } from "../api/oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
let other: FakeOAuthProvider;

beforeAll(async () => {
  other = await startFakeOAuthProvider();
});
afterAll(() => other.close());
beforeEach(async () => {
  other.person = oauth.provider.person;
  await pointTo(oauth.provider);
});

const pointTo = ({ url, wechatToken }: FakeOAuthProvider) =>
  setOptions(api, {
    GitHubServerAddress: url,
    GitHubApiAddress: url,
    LinuxDOServerAddress: url,
    WeChatServerAddress: url,
    WeChatServerToken: wechatToken,
  });

const signIn = {
  github: async (at: FakeOAuthProvider) => (await signInBy(openBrowser(), at, "github")).json.data.id as number,
  linuxdo: async (at: FakeOAuthProvider) => (await signInBy(openBrowser(), at, "linuxdo")).json.data.id as number,
  wechat: async (at: FakeOAuthProvider) => {
    at.wechatCodes.set("1", `openid-${at.person.id}`);
    return (await openBrowser().get("GET /api/oauth/wechat?code=1")).json.data.id as number;
  },
};
const COLUMN = { github: "githubId", linuxdo: "linuxDoId" } as const;

describe.each(["github", "linuxdo", "wechat"] as const)("%s", (name) => {
  test("the same id at another server is somebody else, and at the first server still the first", async () => {
    const owner = await signIn[name](oauth.provider);
    await pointTo(other);
    const stranger = await signIn[name](other);
    expect(stranger).not.toBe(owner);
    expect(await signIn[name](other)).toBe(stranger);
    await pointTo(oauth.provider);
    expect(await signIn[name](oauth.provider)).toBe(owner);
  });
});

describe.each(["github", "linuxdo"] as const)("a binding to %s of a server that is not asked any more", (name) => {
  test("gives way to one of the server that is", async () => {
    const owner = await createPerson(api.database, `moved-${name}`, 1);
    await signInBy(openBrowser(owner), oauth.provider, name);
    await pointTo(other);
    other.person = { ...other.person, id: other.person.id + 1_000 };
    expect((await signInBy(openBrowser(owner), other, name)).json).toEqual({ success: true, message: "bind" });
    const [row] = await api.database.db.select().from(users).where(eq(users.id, owner.id));
    expect(row?.[COLUMN[name]]).toBe(String(other.person.id));
    expect((await signInBy(openBrowser(), other, name)).json.data.id).toBe(owner.id);
  });
});

test("another scheme or path of the same server changes nothing", async () => {
  const owner = await signIn.github(oauth.provider);
  const { host } = new URL(oauth.provider.url);
  const [row] = await api.database.db.select().from(users).where(eq(users.id, owner));
  expect(row?.githubServer).toBe(host);
});
