import { expect, test } from "vitest";
import * as groupApi from "@/app/api/group/[[...path]]/route";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import { call, setUpApi } from "./harness";

const api = setUpApi();

const FIELDS =
  "version start_time setup email_verification github_oauth github_client_id linuxdo_oauth linuxdo_client_id telegram_oauth telegram_bot_name wechat_login wechat_qrcode oidc_enabled oidc_client_id oidc_authorization_endpoint turnstile_check turnstile_site_key system_name logo footer_html server_address price min_topup enable_online_topup enable_stripe_topup top_up_link docs_link quota_per_unit display_in_currency enable_batch_update enable_drawing enable_task enable_data_export data_export_default_time default_collapse_sidebar mj_notify_enabled chats demo_site_enabled self_use_mode_enabled chat_link chat_link2";

test("status has every field of contract §1.4 and no secret, for anybody (A109, A110, A111, A203)", async () => {
  await call(optionApi, "PUT /api/option/", { as: api.root, body: { key: "TurnstileSecretKey", value: "swordfish" } });
  const answer = await call(statusApi, "GET /api/status");
  expect(Object.keys(answer.json.data).sort()).toEqual(FIELDS.split(" ").sort());
  expect(JSON.stringify(answer.json)).not.toContain("swordfish");
});

test("online top-up shows as on only when address, id and key are all there", async () => {
  const put = (key: string, value: string) =>
    call(optionApi, "PUT /api/option/", { as: api.root, body: { key, value } });
  const shown = async () => (await call(statusApi, "GET /api/status/")).json.data.enable_online_topup;
  await put("ServerAddress", "https://weir.example");
  await put("PayAddress", "https://pay.example");
  await put("EpayId", "1");
  expect(await shown()).toBe(false);
  await put("EpayKey", "k");
  expect(await shown()).toBe(true);
});

test("group names for administrators (A179)", async () => {
  expect((await call(groupApi, "GET /api/group/", { as: api.admin })).json.data).toEqual(["default", "vip", "svip"]);
});
