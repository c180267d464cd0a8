import { describe, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { call, type Person, setUpApi } from "./harness";

const api = setUpApi();

const nameOfSite = async () => {
  const { data } = (await call(optionApi, "GET /api/option/", { as: api.root })).json;
  return data.find(({ key }: { key: string }) => key === "SystemName")?.value;
};
const rename = (as: Person, value: string) =>
  call(optionApi, "PUT /api/option/", { as, body: { key: "SystemName", value } });
const listUsers = (as: Person) => call(userApi, "GET /api/user/?p=1&page_size=10", { as });

describe("what a role may (A002, A165)", () => {
  test("an administrator of level 10 manages users and does not even see the settings", async () => {
    const { data } = (await listUsers(api.admin)).json;
    expect(data.items.map(({ username }: { username: string }) => username)).toEqual(
      expect.arrayContaining(["alice", "bob"]),
    );
    const alice = { id: api.alice.id, username: "alice", display_name: "Alice of ten" };
    expect((await call(userApi, "PUT /api/user/", { as: api.admin, body: alice })).json.success).toBe(true);
    const before = await nameOfSite();
    for (const refused of [
      await rename(api.admin, "not yours"),
      await call(optionApi, "GET /api/option/", { as: api.admin }),
      await call(optionApi, "POST /api/option/rest_model_ratio", { as: api.admin }),
    ]) {
      expect(refused.json).toEqual({ success: false, message: "无权进行此操作，权限不足" });
    }
    expect(await nameOfSite()).toBe(before);
  });

  test("a super administrator of level 100 does both", async () => {
    expect((await listUsers(api.root)).json.data.total).toBeGreaterThanOrEqual(4);
    expect((await rename(api.root, "The site of root")).json.success).toBe(true);
    expect(await nameOfSite()).toBe("The site of root");
  });

  test("an ordinary user of level 1 does neither", async () => {
    for (const refused of [await listUsers(api.alice), await rename(api.alice, "x")]) {
      expect(refused.json).toEqual({ success: false, message: "无权进行此操作，权限不足" });
    }
    expect(await nameOfSite()).not.toBe("x");
  });
});
