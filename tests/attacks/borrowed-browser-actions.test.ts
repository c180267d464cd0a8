// The same thief as in borrowed-browser.test.ts, who uses the console's own server actions instead of /api. Each action
// is listed here as guarded or open; a new one fails this file until it is classified, and every guarded one is called
// with a session whose last proof is too old.
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { setOption } from "@/lib/option/commands";
import { setUpApi } from "../api/harness";

const api = setUpApi();
const held = vi.hoisted(() => ({ ctx: null as ServiceContext | null }));

vi.mock("@/lib/auth/session", () => ({
  getContext: async () => held.ctx,
  startSession: async () => undefined,
  endSession: async () => undefined,
}));
vi.mock("next/cache", () => ({ refresh: () => undefined }));
vi.mock("next/headers", () => ({
  headers: async () => new Headers({ host: "weir.example" }),
  cookies: async () => ({ get: () => undefined, set: () => undefined, delete: () => undefined }),
}));
vi.mock("next-intl/server", () => ({ getTranslations: async () => (key: string) => key, getLocale: async () => "en" }));
vi.mock("@/lib/i18n/error-text", () => ({ errorTexts: async () => (key: string) => key }));

const passkey = {
  id: "a",
  rawId: "a",
  type: "public-key",
  response: { clientDataJSON: "a", attestationObject: "a" },
};

/** Action → an input that reaches the proof. */
const GUARDED: Record<string, unknown> = {
  "(console)/setting/personal-actions.ts updateSelf": { password: "another-one" },
  "(console)/setting/personal-actions.ts bindEmail": { email: "thief@weir.example", code: "ABC234" },
  "(console)/setting/personal-actions.ts createAccessToken": undefined,
  "(console)/setting/personal-actions.ts deleteSelf": { username: "root" },
  "(console)/setting/actions.ts saveOptions": { changes: [{ key: "PayAddress", value: "https://thief.example" }] },
  "(console)/setting/actions.ts revertOption": { id: 1 },
  "(console)/setting/security-actions.ts startTotpSetup": {},
  "(console)/setting/security-actions.ts enableTotp": { code: "123456" },
  "(console)/setting/security-actions.ts renewRecoveryCodes": {},
  "(console)/setting/security-actions.ts disableTotp": {},
  "(console)/setting/security-actions.ts startPasskey": {},
  "(console)/setting/security-actions.ts finishPasskey": { name: "mine", response: passkey },
  "(console)/setting/security-actions.ts deletePasskey": { id: "a" },
  "(console)/token/actions.ts revealToken": { id: 1 },
  "(console)/token/actions.ts revealTokens": { ids: [1] },
  "(console)/token/actions.ts rotateToken": { id: 1 },
  "(console)/user/actions.ts updateUser": { id: 3, password: "another-one" },
  "(console)/user/actions.ts manageUser": { id: 3, action: "promote" },
  "(public)/oauth/actions.ts beginBinding": { provider: "github" },
  "(public)/oauth/actions.ts unbindAccount": { provider: "github" },
  "(console)/channel/actions.ts allowPrivate": { id: 1, allowed: true },
};

/** Files whose other actions need no proof, for the reasons given in borrowed-browser.test.ts. */
const OPEN: Record<string, string[]> = {
  "(console)/capture/actions.ts": ["setKeyCapture", "deleteCapture", "deleteCaptures"],
  "(console)/alert/actions.ts": ["saveAlert", "setAlertEnabled", "muteAlert", "deleteAlert", "testAlert"],
  "(console)/setting/personal-actions.ts": ["transferEarnings"],
  "(console)/setting/actions.ts": ["loadHistory", "countLogs", "clearLogs", "sendTestMail", "retryRefusedCharges"],
  // Prices are saved without a proof, too.
  "(console)/setting/prices/actions.ts": [
    "comparePriceList",
    "applyPrices",
    "exportPrices",
    "previewDraft",
    "previewOffers",
    "previewAdjustment",
    "applyAdjustment",
    "undoPriceChange",
    "previewRouting",
    "applyRouting",
  ],
  "(console)/setting/security-actions.ts": ["renamePasskey", "revokeSession", "revokeOtherSessions"],
  "(console)/setting/notification-actions.ts": [
    "saveTarget",
    "setTargetEnabled",
    "deleteTarget",
    "testTarget",
    "savePreferences",
    "startBinding",
    "checkBinding",
  ],
  "(console)/token/actions.ts": [
    "createTokens",
    "updateToken",
    "setTokenStatus",
    "deleteToken",
    "findTokens",
    "changeTokens",
  ],
  "(console)/user/actions.ts": ["createUser", "endSessions", "findUsers", "applyToUsers"],
  "(console)/redemption/actions.ts": [
    "createRedemptions",
    "updateRedemption",
    "setRedemptionStatus",
    "deleteRedemption",
    "findRedemptions",
    "changeRedemptions",
    "revealRedemptions",
  ],
  "(console)/channel/actions.ts": [
    "createChannels",
    "updateChannel",
    "setChannelStatus",
    "deleteChannel",
    "copyChannel",
    "checkModels",
    "testChannel",
    "startTestRun",
    "updateBalance",
    "updateBalances",
    "deleteDisabled",
    "fixChannels",
    "updateTag",
    "setTagStatus",
    "addKeys",
    "setKeyStatus",
    "removeKey",
    "closeCircuit",
    "chooseKeyMode",
  ],
  "(public)/status/actions.ts": ["saveIncident", "deleteIncident"],
  "(console)/channel/bulk-actions.ts": ["previewBulk", "applyBulk", "undoBulk", "listBulk"],
  "(console)/log/actions.ts": ["findFailedRequest", "findLogUser"],
  "(console)/topup/actions.ts": ["redriveCallback"],
  "(console)/actions.ts": ["findAnything", "onboardingSteps", "suggest"],
  "(console)/view-actions.ts": ["saveView", "renameView", "setDefaultView", "deleteView"],
  "(console)/step-up-actions.ts": [
    "stepUpKinds",
    "stepUpByPassword",
    "stepUpByCode",
    "startPasskeyStepUp",
    "finishPasskeyStepUp",
    "signInAgain",
  ],
  "actions.ts": ["setLocale", "signOut"],
  "(public)/login/actions.ts": ["signIn", "signInByCode", "startPasskey", "signInByPasskey"],
  "(public)/pricing/actions.ts": ["simulateCharge"],
};

async function listActions(): Promise<string[]> {
  const files = (await readdir("app", { recursive: true })).filter((path) => /\.tsx?$/.test(path));
  return files.flatMap((path) => {
    const names = readFileSync(`app/${path}`, "utf8").matchAll(/^export const (\w+) = action\(/gm);
    return [...names].map(([, name]) => `${path} ${name}`);
  });
}

beforeAll(async () => {
  const { db, sql } = api.database;
  const job = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" } as const;
  await setOption(job, "ServerAddress", "https://weir.example");
  // A version that a revert would bring back.
  await setOption(job, "EpayId", "old");
  const session = { id: "00000000-0000-0000-0000-000000000000", confirmedAt: 1 };
  const who = { type: "user", id: api.root.id, username: "root", role: 100, group: "default" } as const;
  held.ctx = { db, sql, actor: { ...who, via: "session", session }, clientIp: "198.51.100.1" };
});

describe("server actions in a borrowed browser", () => {
  test("every action is guarded, or open for a reason", async () => {
    const open = Object.entries(OPEN).flatMap(([path, names]) => names.map((name) => `${path} ${name}`));
    expect((await listActions()).sort()).toEqual([...Object.keys(GUARDED), ...open].sort());
  });

  test.each(Object.entries(GUARDED))("%s asks for a proof", async (line, input) => {
    const [path = "", name = ""] = line.split(" ");
    const loaded = await import(`../../app/${path}`);
    expect(await loaded[name](input)).toMatchObject({ ok: false, code: "step_up_required" });
  });
});
