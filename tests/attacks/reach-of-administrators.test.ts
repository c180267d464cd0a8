// An administrator who is not root reads root's money by naming root's id in a parameter, and writes a regular
// expression into a channel that a caller's text then keeps the event loop busy with. What an account can be asked about
// ends at one's own role, in the query layer; patterns of operators run in linear time on whatever callers write.
import { describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { overrideParameters } from "@/lib/param-override";
import { call, createPerson, type Person, setUpApi } from "../api/harness";

const api = setUpApi();

describe("the ledger of an account", () => {
  const read = async (as: Person, of: Person) =>
    (await call(userApi, `GET /api/user/ledger?user_id=${of.id}`, { as })).json;

  test("an administrator reads their own and those of lower roles, never root's or a colleague's", async () => {
    const colleague = await createPerson(api.database, "colleague", 10);
    for (const { id } of [api.root, colleague, api.alice, api.admin]) {
      const entry = { userId: id, amount: 1_000, kind: "grant", reference: `attack:${id}`, actorId: null } as const;
      await api.database.db.transaction((tx) => postLedgerEntry(tx, entry));
    }
    for (const of of [api.root, colleague]) {
      const answer = await read(api.admin, of);
      expect(answer.success).toBe(false);
      expect(JSON.stringify(answer)).not.toContain("attack:");
    }
    for (const of of [api.alice, api.admin]) expect((await read(api.admin, of)).success).toBe(true);
    for (const of of [api.alice, api.admin, colleague]) expect((await read(api.root, of)).success).toBe(true);
    expect((await read(api.alice, api.bob)).success).toBe(false);
    expect((await read(api.alice, api.alice)).success).toBe(true);
  });
});

describe("patterns of a parameter override", () => {
  const replace = (from: string, text: string) =>
    overrideParameters({ text }, {}, { operations: [{ mode: "regex_replace", path: "text", from, to: "x" }] });

  test.each([
    ["nested repetition", "(a*)*b", "a".repeat(30)],
    ["an alternative that overlaps", "^(a|a)*$", `${"a".repeat(29)}!`],
    ["space before an end that does not come", "\\s+$", `${" ".repeat(80_000)}!`],
  ])("%s takes less than a second on a text of a caller", (_what, from, text) => {
    const before = process.cpuUsage();
    replace(from, text);
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(1);
  });

  test("what cannot run in linear time is refused when it is saved", async () => {
    const save = async (from: string) => {
      const operations = [{ mode: "regex_replace", path: "model", from, to: "" }];
      const body = { type: 1, name: "c", models: "m", key: "k", param_override: JSON.stringify({ operations }) };
      return (await call(channelApi, "POST /api/channel/", { as: api.admin, body })).json;
    };
    expect(await save("^openai/")).toMatchObject({ success: true });
    for (const from of ["(a)\\1", "(?=a)b", "("]) {
      expect(await save(from)).toMatchObject({ success: false, message: expect.stringContaining("正则表达式") });
    }
  });
});
