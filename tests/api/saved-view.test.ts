import { beforeAll, describe, expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { deleteView, renameView, saveView, setDefaultView } from "@/lib/saved-view/commands";
import { listViews } from "@/lib/saved-view/queries";
import { VIEWS_MAX } from "@/lib/saved-view/schemas";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
let alice: ServiceContext;
let bob: ServiceContext;

beforeAll(() => {
  const contextOf = ({ id, username }: Person): ServiceContext => ({
    ...api.database,
    actor: { type: "user", id, username, role: 1, group: "default", via: "session" },
    clientIp: "",
  });
  alice = contextOf(api.alice);
  bob = contextOf(api.bob);
});

const view = (name: string, query = "type=2&model=gpt-4o") => ({ page: "log" as const, name, query });
const names = async (ctx: ServiceContext) => (await listViews(ctx, "log")).map(({ name }) => name);

describe("saved views of the log", () => {
  test("are kept under a name, listed by name, renamed and deleted", async () => {
    const { id } = await saveView(alice, { ...view(" Slow  "), columns: { token: false } });
    await saveView(alice, view("Errors", "type=5"));
    expect(await listViews(alice, "log")).toEqual([
      { id: expect.any(Number), name: "Errors", query: "type=5", columns: null, isDefault: false },
      { id, name: "Slow", query: "type=2&model=gpt-4o", columns: { token: false }, isDefault: false },
    ]);
    await renameView(alice, { id, name: "Dear" });
    expect(await names(alice)).toEqual(["Dear", "Errors"]);
    await deleteView(alice, id);
    expect(await names(alice)).toEqual(["Errors"]);
  });

  test("are one's own: nobody else sees, renames or deletes them, and names may repeat between users", async () => {
    const { id } = await saveView(alice, view("Mine"));
    await saveView(bob, view("Mine"));
    expect(await names(bob)).toEqual(["Mine"]);
    await expect(renameView(bob, { id, name: "Taken" })).rejects.toMatchObject({ messageKey: "viewNotFound" });
    await expect(deleteView(bob, id)).rejects.toMatchObject({ messageKey: "viewNotFound" });
    expect(await names(alice)).toContain("Mine");
  });

  test("a list opens with at most one of them, each list with its own", async () => {
    const first = await saveView(alice, view("first"));
    const second = await saveView(alice, view("second"));
    const keys = await saveView(alice, { ...view("keys"), page: "token" });
    for (const { id } of [first, keys, second]) await setDefaultView(alice, { id, isDefault: true });
    const defaults = async (page: "log" | "token") =>
      (await listViews(alice, page)).filter(({ isDefault }) => isDefault).map(({ name }) => name);
    expect(await defaults("log")).toEqual(["second"]);
    expect(await defaults("token")).toEqual(["keys"]);
    await expect(setDefaultView(bob, { id: first.id, isDefault: true })).rejects.toMatchObject({ code: "not_found" });
    await setDefaultView(alice, { id: second.id, isDefault: false });
    expect(await defaults("log")).toEqual([]);
    await Promise.all([first, second].map(({ id }) => setDefaultView(alice, { id, isDefault: true })));
    expect(await defaults("log")).toHaveLength(1);
  });

  test("what is saved is bounded, and only for lists that exist", async () => {
    await expect(saveView(alice, view("long", "x".repeat(2_001)))).rejects.toMatchObject({ messageKey: "viewTooLong" });
    const columns = Object.fromEntries(Array.from({ length: 61 }, (_, at) => [`c${at}`, true]));
    await expect(saveView(alice, { ...view("wide"), columns })).rejects.toMatchObject({ messageKey: "viewTooLong" });
    await expect(saveView(alice, { ...view("lost"), page: "nowhere" as "log" })).rejects.toMatchObject({
      code: "invalid",
    });
  });

  test("a name is one's own only once, must be there and not be too long", async () => {
    const { id } = await saveView(bob, view("Twice"));
    await expect(saveView(bob, view("Twice"))).rejects.toMatchObject({ messageKey: "viewNameTaken" });
    await expect(renameView(bob, { id, name: "Mine" })).rejects.toMatchObject({ messageKey: "viewNameTaken" });
    await expect(saveView(bob, view("  "))).rejects.toMatchObject({ messageKey: "viewNameMissing" });
    await expect(saveView(bob, view("x".repeat(41)))).rejects.toMatchObject({ messageKey: "viewNameTooLong" });
    await expect(saveView({ ...bob, actor: { type: "anonymous" } }, view("No"))).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  test("there is an end to them, also when many are saved at once", async () => {
    const all = await Promise.allSettled(Array.from({ length: VIEWS_MAX + 5 }, (_, i) => saveView(bob, view(`v${i}`))));
    expect(all.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
    expect(await names(bob)).toHaveLength(VIEWS_MAX);
  });
});
