import { expect, test } from "vitest";
import { changesOf, startEdit } from "@/components/form/edit-draft";
import { NO_AMOUNT } from "@/components/form/money-text";
import type { User } from "@/lib/user/types";
import { toUserDraft, toUserInput, toWhole } from "./user-draft";

const user: User = {
  id: 7,
  username: "carol",
  displayName: "Carol",
  role: 1,
  status: 1,
  email: null,
  githubId: null,
  oidcId: null,
  wechatId: null,
  telegramId: null,
  linuxDoId: null,
  group: "default",
  quota: 1_000,
  usedQuota: 0,
  requestCount: 0,
  concurrencyLimit: 0,
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  budgetDay: 0,
  budgetWeek: 0,
  budgetMonth: 0,
  affCode: null,
  affCount: 0,
  affQuota: 0,
  affHistoryQuota: 0,
  inviterId: null,
  setting: {},
  initialPassword: false,
  createdAt: 0,
  deletedAt: null,
};

test("a typed quota is cut to a whole number before it is saved (A142)", () => {
  expect(toUserInput({ ...toUserDraft(user), quota: "12.7" })?.quota).toBe(12);
  expect(toUserInput({ ...toUserDraft(user), quota: "-0.9" })?.quota).toBe(-0);
  expect(toWhole("")).toBe(0);
  expect(toWhole("1e3")).toBe(1_000);
});

test("what is no number is refused, never read as zero", () => {
  for (const quota of ["many", "", NO_AMOUNT]) expect(toUserInput({ ...toUserDraft(user), quota })).toBeNull();
  expect(toUserInput({ ...toUserDraft(user), concurrencyLimit: "∞" })).toBeNull();
});

const SHAPE = { toDraft: toUserDraft, toInput: toUserInput };

test("a saved account carries what was changed, a balance with the one that was shown, and no password that was not typed (A141)", () => {
  const begun = startEdit(user, toUserDraft);
  expect(changesOf(begun, SHAPE)).toEqual({ seen: {} });
  const typed = { ...begun, draft: { ...begun.draft, quota: "1500", quotaReason: "a gift" } };
  expect(changesOf(typed, SHAPE)).toEqual({ quota: 1_500, quotaReason: "a gift", seen: { quota: 1_000 } });
});
