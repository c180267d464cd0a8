// The same thief as in borrowed-browser.test.ts, who uses the console's own server actions instead of /api. Each action
// is listed here as guarded or open; a new one fails this file until it is classified, and every guarded one is called
// with a session whose last proof is too old.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { setOption } from "@/lib/option/commands";
import { serverActionFiles } from "@/lib/testing/server-action-files";
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
  "components/account/personal-actions.ts updateSelf": { password: "another-one" },
  "components/account/personal-actions.ts bindEmail": { email: "thief@weir.example", code: "ABC234" },
  "components/account/personal-actions.ts createAccessToken": undefined,
  "components/account/personal-actions.ts deleteSelf": { username: "root" },
  "components/setting/actions.ts saveOptions": { changes: [{ key: "PayAddress", value: "https://thief.example" }] },
  "components/setting/actions.ts revertOption": { id: 1 },
  "components/account/security-actions.ts startTotpSetup": {},
  "components/account/security-actions.ts enableTotp": { code: "123456" },
  "components/account/security-actions.ts renewRecoveryCodes": {},
  "components/account/security-actions.ts disableTotp": {},
  "components/account/security-actions.ts startPasskey": {},
  "components/account/security-actions.ts finishPasskey": { name: "mine", response: passkey },
  "components/account/security-actions.ts deletePasskey": { id: "a" },
  "components/token/actions.ts revealToken": { id: 1 },
  "components/token/actions.ts revealTokens": { ids: [1] },
  "components/token/actions.ts rotateToken": { id: 1 },
  "components/user/actions.ts updateUser": { id: 3, password: "another-one" },
  "components/user/actions.ts manageUser": { id: 3, action: "promote" },
  "components/account/binding-actions.ts beginBinding": { provider: "github" },
  "components/account/binding-actions.ts unbindAccount": { provider: "github" },
  "components/channel/actions.ts allowPrivate": { id: 1, allowed: true },
};

/** Files whose other actions need no proof, for the reasons given in borrowed-browser.test.ts. */
const OPEN: Record<string, string[]> = {
  "components/capture/actions.ts": ["setKeyCapture", "deleteCapture", "deleteCaptures"],
  "components/alert/actions.ts": ["saveAlert", "setAlertEnabled", "muteAlert", "deleteAlert", "testAlert"],
  "components/account/personal-actions.ts": ["transferEarnings"],
  "components/setting/actions.ts": ["loadHistory", "countLogs", "clearLogs", "sendTestMail", "retryRefusedCharges"],
  // Prices are saved without a proof, too.
  "components/setting/price-sync/actions.ts": ["comparePriceList", "applyPrices", "exportPrices", "previewOffers"],
  "components/price-effect/actions.ts": ["previewDraft"],
  "components/price-list/actions.ts": ["previewAdjustment", "applyAdjustment"],
  "components/price-history/actions.ts": ["undoPriceChange"],
  "components/what-if/actions.ts": ["previewRouting", "applyRouting"],
  "components/account/security-actions.ts": ["renamePasskey", "revokeSession", "revokeOtherSessions"],
  "components/account/notification-actions.ts": [
    "saveTarget",
    "setTargetEnabled",
    "deleteTarget",
    "testTarget",
    "savePreferences",
    "startBinding",
    "checkBinding",
  ],
  "components/token/actions.ts": [
    "createTokens",
    "updateToken",
    "setTokenStatus",
    "deleteToken",
    "findTokens",
    "changeTokens",
  ],
  "components/user/actions.ts": ["createUser", "endSessions", "findUsers", "applyToUsers"],
  "components/redemption/actions.ts": [
    "createRedemptions",
    "updateRedemption",
    "setRedemptionStatus",
    "deleteRedemption",
    "findRedemptions",
    "changeRedemptions",
    "revealRedemptions",
  ],
  "components/channel/actions.ts": [
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
  "components/status-page/actions.ts": ["saveIncident", "deleteIncident"],
  "components/channel/bulk-actions.ts": ["previewBulk", "applyBulk", "undoBulk", "listBulk"],
  "components/log/actions.ts": ["findFailedRequest", "findLogUser"],
  "components/topup/actions.ts": ["redriveCallback"],
  "components/palette/actions.ts": ["findAnything"],
  "components/data-table/actions.ts": ["saveView", "renameView", "setDefaultView", "deleteView", "suggest"],
  "components/auth/step-up-actions.ts": [
    "stepUpKinds",
    "stepUpByPassword",
    "stepUpByCode",
    "startPasskeyStepUp",
    "finishPasskeyStepUp",
    "signInAgain",
  ],
  "components/shell/actions.ts": ["setLocale", "signOut", "onboardingSteps"],
  "components/auth/sign-in-actions.ts": ["signIn", "signInByCode", "startPasskey", "signInByPasskey"],
  "components/pricing/actions.ts": ["simulateCharge"],
};

function listActions(): string[] {
  return serverActionFiles().flatMap((path) => {
    const names = readFileSync(path, "utf8").matchAll(/^export const (\w+) = action\(/gm);
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
  test("every action is guarded, or open for a reason", () => {
    const open = Object.entries(OPEN).flatMap(([path, names]) => names.map((name) => `${path} ${name}`));
    expect(listActions().sort()).toEqual([...Object.keys(GUARDED), ...open].sort());
  });

  test.each(Object.entries(GUARDED))("%s asks for a proof", async (line, input) => {
    const [path = "", name = ""] = line.split(" ");
    const loaded = await import(`../../${path}`);
    expect(await loaded[name](input)).toMatchObject({ ok: false, code: "step_up_required" });
  });
});
