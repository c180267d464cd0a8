import { describe, expect, test } from "vitest";
import * as aboutApi from "@/app/api/about/[[...path]]/route";
import * as homeApi from "@/app/api/home_page_content/[[...path]]/route";
import * as noticeApi from "@/app/api/notice/[[...path]]/route";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import { consoleDatabase } from "@/lib/console-database";
import { setOptions } from "./account-harness";
import { call, setUpApi } from "./harness";

const api = setUpApi();

describe("what the operator wrote for everybody (B257)", () => {
  test.each([
    ["GET /api/notice", noticeApi, "Notice"],
    ["GET /api/about", aboutApi, "About"],
    ["GET /api/home_page_content/", homeApi, "HomePageContent"],
  ] as const)("%s answers the text as it was written, to anybody", async (line, table, key) => {
    expect((await call(table, line)).json).toEqual({ success: true, message: "", data: "" });
    const text = `# ${key}\n<script>alert(1)</script> {name} 通知`;
    await setOptions(api.database, { [key]: text });
    expect((await call(table, line)).json).toEqual({ success: true, message: "", data: text });
  });
});

describe("status (A109, A111, A203)", () => {
  test("values are those of the options, in the types that clients expect", async () => {
    await setOptions(api.database, {
      SystemName: "我的网关",
      QuotaPerUnit: 1_000,
      ChatLink: "https://chat.example",
      ChatLink2: "https://chat2.example",
      Chats: JSON.stringify([{ App: "https://app.example/?key={key}&address={address}" }]),
      TopUpLink: "https://shop.example",
      ServerAddress: "https://weir.example/",
    });
    const { data } = (await call(statusApi, "GET /api/status")).json;
    expect(data).toMatchObject({
      system_name: "我的网关",
      quota_per_unit: 1_000,
      display_in_currency: true,
      chat_link: "https://chat.example",
      chat_link2: "https://chat2.example",
      chats: [{ App: "https://app.example/?key={key}&address={address}" }],
      top_up_link: "https://shop.example",
      server_address: "https://weir.example",
      min_topup: 1,
      data_export_default_time: "hour",
      turnstile_check: false,
      email_verification: false,
      enable_online_topup: false,
    });
  });
});

describe("the database test", () => {
  test("is for administrators and has no data", async () => {
    expect((await call(statusApi, "GET /api/status/test", { as: api.alice })).json.message).toBe(
      "无权进行此操作，权限不足",
    );
    expect((await call(statusApi, "GET /api/status/test")).status).toBe(401);
    const answer = await call(statusApi, "GET /api/status/test", { as: api.admin });
    expect([answer.status, answer.json]).toEqual([200, { success: true, message: "" }]);
  });

  test("answers 503 and says so while the database cannot be reached (B280)", async () => {
    const holder = globalThis as typeof globalThis & { weirConsoleDatabase?: unknown };
    await consoleDatabase().end();
    delete holder.weirConsoleDatabase;
    process.env.DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
    const answer = await call(statusApi, "GET /api/status/test", { as: api.admin });
    process.env.DATABASE_URL = api.database.url;
    await consoleDatabase().end();
    delete holder.weirConsoleDatabase;
    expect([answer.status, answer.json]).toEqual([503, { success: false, message: "数据库暂时不可用，请稍后再试" }]);
    expect((await call(statusApi, "GET /api/status/test", { as: api.admin })).json.success).toBe(true);
  });
});
