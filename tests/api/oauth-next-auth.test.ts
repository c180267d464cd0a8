import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { sessions, users } from "@/db/schema";
import { createPerson } from "./harness";
import {
  ADDRESS,
  type Browser,
  beginAtNextAuth,
  type CodeProviderName,
  listUsers,
  newPerson,
  openBrowser,
  setOptions,
  setUpOAuth,
  signInBy,
  visitNextAuth,
  visitProvider,
} from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
const PROVIDERS = ["github", "linuxdo", "oidc"] as const;
const NAMES = { github: "GitHub", linuxdo: "LinuxDO", oidc: "OIDC" } as const;
/** The format of next-auth's states: 32 random bytes in base64url. */
const NEXT_AUTH_STATE = /^[\w-]{43}$/;

const challengeOf = (verifier = "") => createHash("sha256").update(verifier).digest("base64url");
const sessionsNow = async () => (await api.database.db.select({ id: sessions.id }).from(sessions)).length;

/** The result of a sign-in by any entry: the account it signed in to, or the error message. */
type Outcome = { userId: number | null; message: string };
type Entry = {
  begin: (browser: Browser, name: CodeProviderName) => Promise<string>;
  finish: (browser: Browser, name: CodeProviderName, query: string) => Promise<Outcome>;
};

/** The entries: the buttons of the console and the compatible API, and next-auth's own pages. */
const ENTRIES = {
  "/api/oauth": {
    begin: async (browser, name) => (await browser.get(`GET /api/oauth/state?provider=${name}`)).json.url,
    async finish(browser, name, query) {
      const { json } = await browser.get(`GET /api/oauth/${name}${query}`, { headers: { "accept-language": "en" } });
      return { userId: json.data?.id ?? null, message: json.success ? "" : json.message };
    },
  },
  "/api/auth": {
    begin: beginAtNextAuth,
    async finish(browser, name, query) {
      const answer = await visitNextAuth(browser, "GET", `/api/auth/callback/${name}${query}`);
      const location = new URL(answer.headers.get("location") ?? "", ADDRESS);
      const session = (await (await visitNextAuth(browser, "GET", "/api/auth/session")).json()) as {
        user?: { id: number };
      };
      return { userId: session.user?.id ?? null, message: location.searchParams.get("refused") ?? "" };
    },
  },
} as const satisfies Record<string, Entry>;
const EACH = Object.keys(ENTRIES).flatMap((entry) =>
  PROVIDERS.map((name) => [entry as keyof typeof ENTRIES, name] as const),
);

/** Runs sign-ins that must fail and checks that they created nothing. */
async function expectNothingMade(run: () => Promise<Outcome[]>): Promise<void> {
  const before = [(await listUsers(api)).length, await sessionsNow()];
  const outcomes = await run();
  expect(outcomes.map(({ userId }) => userId)).toEqual(outcomes.map(() => null));
  expect(outcomes.every(({ message }) => message !== "")).toBe(true);
  expect([(await listUsers(api)).length, await sessionsNow()]).toEqual(before);
}

describe.each(EACH)("by %s, %s", (entry, name) => {
  const { begin, finish }: Entry = ENTRIES[entry];

  test("state, PKCE and redirect address are next-auth's, and it redeems the code by them", async () => {
    const browser = openBrowser();
    const page = await begin(browser, name);
    const asked = new URL(page).searchParams;
    expect(asked.get("state")).toMatch(NEXT_AUTH_STATE);
    expect(asked.get("code_challenge_method")).toBe("S256");
    expect(asked.get("redirect_uri")).toBe(`${ADDRESS}/oauth/${name}`);
    const back = await oauth.provider.authorize(page);
    expect((await finish(browser, name, back.search)).userId).toEqual(expect.any(Number));
    const redeemed = oauth.provider.tokenRequest;
    expect(redeemed).toMatchObject({
      grant_type: "authorization_code",
      redirect_uri: `${ADDRESS}/oauth/${name}`,
      code: back.searchParams.get("code"),
    });
    expect(challengeOf(redeemed.code_verifier)).toBe(asked.get("code_challenge"));
  });

  test("a forged state is refused", async () => {
    const browser = openBrowser();
    const back = await oauth.provider.authorize(await begin(browser, name));
    back.searchParams.set("state", "A".repeat(43));
    oauth.provider.requests.length = 0;
    await expectNothingMade(async () => [await finish(browser, name, back.search)]);
    expect(oauth.provider.requests).toEqual([]);
  });

  test("a second browser cannot use the first one's code and state, even with a sign-in of its own under way", async () => {
    const first = openBrowser();
    const back = await oauth.provider.authorize(await begin(first, name));
    const second = openBrowser();
    await expectNothingMade(async () => [
      await finish(second, name, back.search),
      await begin(second, name).then(() => finish(second, name, back.search)),
    ]);
  });

  test("code and state are good once", async () => {
    const browser = openBrowser();
    const back = await oauth.provider.authorize(await begin(browser, name));
    const kept = new Map(browser.cookies);
    expect((await finish(browser, name, back.search)).userId).toEqual(expect.any(Number));
    browser.cookies.clear();
    for (const [cookie, value] of kept) browser.cookies.set(cookie, value);
    await expectNothingMade(async () => [await finish(browser, name, back.search)]);
  });

  test("a code of another sign-in does not fit the PKCE verifier of this one", async () => {
    const [victim, thief] = [openBrowser(), openBrowser()];
    const stolen = await oauth.provider.authorize(await begin(victim, name));
    const own = new URL(await begin(thief, name)).searchParams.get("state") ?? "";
    stolen.searchParams.set("state", own);
    await expectNothingMade(async () => {
      const outcome = await finish(thief, name, stolen.search);
      expect(["oauthCodeRefused", `${NAMES[name]} did not accept the authorization code. Start again.`]).toContain(
        outcome.message,
      );
      return [outcome];
    });
  });

  test("a provider that says no instead of giving a code signs nobody in", async () => {
    oauth.provider.trouble = { consent: "deny" };
    const browser = openBrowser();
    const back = await oauth.provider.authorize(await begin(browser, name));
    expect(back.searchParams.get("error")).toBe("access_denied");
    await expectNothingMade(async () => [await finish(browser, name, back.search)]);
  });

  test("registration closed and a banned account are refused in next-auth's callbacks", async () => {
    const known = await signInBy(openBrowser(), oauth.provider, name);
    await api.database.db.update(users).set({ status: 2 }).where(eq(users.id, known.json.data.id));
    const visit = async () => {
      const browser = openBrowser();
      const back = await oauth.provider.authorize(await begin(browser, name));
      return finish(browser, name, back.search);
    };
    await expectNothingMade(async () => [await visit()]);
    await setOptions(api, { RegisterEnabled: "false" });
    oauth.provider.person = newPerson();
    await expectNothingMade(async () => [await visit()]);
    await setOptions(api, { RegisterEnabled: "true" });
  });

  test("both ways lead to the same account, and who is signed in binds", async () => {
    const first = await signInBy(openBrowser(), oauth.provider, name);
    const again = openBrowser();
    const back = await oauth.provider.authorize(await begin(again, name));
    expect((await finish(again, name, back.search)).userId).toBe(first.json.data.id);
    oauth.provider.person = newPerson();
    const owner = await createPerson(api.database, `o${oauth.provider.person.id}`, 1);
    const bound = openBrowser(owner);
    await finish(bound, name, (await oauth.provider.authorize(await begin(bound, name))).search);
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.data.id).toBe(owner.id);
  });
});

test.each(["nonce", "audience", "issuer", "expired", "key", "unsigned", "missing"] as const)(
  "by next-auth's own page too an id_token with a wrong %s signs nobody in",
  async (idToken) => {
    oauth.provider.trouble = { idToken };
    const { begin, finish }: Entry = ENTRIES["/api/auth"];
    await expectNothingMade(async () => {
      const browser = openBrowser();
      const back = await oauth.provider.authorize(await begin(browser, "oidc"));
      return [await finish(browser, "oidc", back.search)];
    });
  },
);

test("the answer of another provider, by its issuer's name, is refused (RFC 9207)", async () => {
  const browser = openBrowser();
  const back = await visitProvider(browser, oauth.provider, "oidc");
  const { begin, finish }: Entry = ENTRIES["/api/oauth"];
  await expectNothingMade(async () => [await finish(browser, "oidc", `${back.search}&iss=https://elsewhere.example`)]);
  const own = await oauth.provider.authorize(await begin(browser, "oidc"));
  const right = await finish(browser, "oidc", `${own.search}&iss=${encodeURIComponent(`${oauth.provider.url}/oidc`)}`);
  expect(right.userId).toEqual(expect.any(Number));
});

test("next-auth lists the providers that are switched on at the moment", async () => {
  const listed = async () =>
    Object.keys((await (await visitNextAuth(openBrowser(), "GET", "/api/auth/providers")).json()) as object);
  expect(await listed()).toEqual(["credentials", "github", "linuxdo", "oidc"]);
  await setOptions(api, { GitHubOAuthEnabled: "false" });
  const fewer = await listed();
  const browser = openBrowser();
  const refused = new URL(await beginAtNextAuth(browser, "github"), ADDRESS);
  await setOptions(api, { GitHubOAuthEnabled: "true" });
  expect(fewer).toEqual(["credentials", "linuxdo", "oidc"]);
  expect(refused.pathname + refused.search).toBe("/oauth/github?refused=oauthOff");
});

test("next-auth's signIn asks for its token first: a form of another site begins nothing", async () => {
  const answer = await visitNextAuth(openBrowser(), "POST", "/api/auth/signin/github", { csrfToken: "made-up" });
  expect(answer.headers.get("location")).toContain("csrf=true");
  expect(answer.headers.getSetCookie().filter((line) => line.includes("state"))).toEqual([]);
});
