import { expect, test } from "vitest";
import type { Database, Sql } from "@/db/client";
import type { ServiceContext } from "@/lib/context";
import { requireProofForOptions } from "./option-proof";
import { requireRecentProof } from "./step-up";

const now = () => Math.floor(Date.now() / 1000);

function rootContext(confirmedSecondsAgo: number | null): ServiceContext {
  const who = { type: "user", id: 1, username: "root", role: 100, group: "default" } as const;
  const session = { id: "00000000-0000-0000-0000-000000000000", confirmedAt: now() - (confirmedSecondsAgo ?? 0) };
  const actor =
    confirmedSecondsAgo === null
      ? ({ ...who, via: "access-token" } as const)
      : ({ ...who, via: "session", session } as const);
  // requireProofForOptions does not use the database.
  return { db: null as unknown as Database, sql: null as unknown as Sql, actor, clientIp: "" };
}

test.each([
  ["who may sign in", "PasswordLoginEnabled"],
  ["how mail is sent", "SMTPServer"],
  ["where outside accounts are asked", "GitHubServerAddress"],
  ["a secret", "EpayKey"],
])("%s changes after a recent proof only: %s", (_name, key) => {
  expect(() => requireProofForOptions(rootContext(3_600), ["SystemName", key])).toThrow("stepUpRequired");
  expect(() => requireProofForOptions(rootContext(60), ["SystemName", key])).not.toThrow();
});

test("other options ask for no proof", () => {
  expect(() => requireProofForOptions(rootContext(3_600), ["SystemName", "Price", "no such option"])).not.toThrow();
});

test("a proof holds ten minutes, an access token is none, and a job needs none", () => {
  expect(() => requireRecentProof(rootContext(590))).not.toThrow();
  expect(() => requireRecentProof(rootContext(610))).toThrow("stepUpRequired");
  expect(() => requireRecentProof(rootContext(null))).toThrow("sessionRequired");
  expect(() => requireRecentProof({ ...rootContext(null), actor: { type: "anonymous" } })).toThrow("notSignedIn");
  expect(() => requireRecentProof({ ...rootContext(null), actor: { type: "job", name: "sweep" } })).not.toThrow();
});
