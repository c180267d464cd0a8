import { z } from "zod";
import * as channelRows from "./channel-rows";
import { EXPORTS } from "./common";
import * as rows from "./rows";

const data = (schema: z.ZodType) => z.object({ data: schema });
const nothing = z.object({});
const count = data(z.int().min(0));
const text = data(z.string());
const names = data(z.array(z.string()));
const anything = data(z.record(z.string(), z.unknown()).meta({ description: "Options of WebAuthn" }));

const pageOf = (row: z.ZodType, more: z.ZodRawShape = {}) =>
  data(z.strictObject({ items: z.array(row), total: z.int(), page: z.int(), page_size: z.int(), ...more }));

const users = pageOf(rows.userRow);
const orders = pageOf(rows.orderRow);
const codes = pageOf(rows.redemptionRow);
const logs = pageOf(rows.logRow, { total_capped: z.boolean() });
const ownLogs = pageOf(rows.ownLogRow, { total_capped: z.boolean() });
const logRows = data(z.array(rows.logRow));
const ownLogRows = data(z.array(rows.ownLogRow));
const sums = data(z.strictObject({ quota: z.int(), rpm: z.int(), tpm: z.int() }));
const groups = data(z.record(z.string(), z.strictObject({ ratio: z.number(), desc: z.string() })));
const signedIn = data(rows.signedInRow);
/**
 * After a sign-in with an external account. Without data: the account was bound to the session's user and `message` is
 * "bind".
 */
const signedInOrBound = signedIn.partial();
const recoveryCodes = data(z.strictObject({ recovery_codes: z.array(z.string()) }));

/**
 * The fields beside `success` and `message` in each successful response with the envelope; null for responses without
 * the envelope. A test compares the keys with the route tables, and API tests validate responses against these schemas.
 */
export const apiReplies: Record<string, z.ZodObject | null> = {
  ...Object.fromEntries(EXPORTS.map((path) => [`GET ${path}`, null])),
  "GET /api/user/statement": null,
  "GET /api/about": text,
  "GET /api/notice": text,
  "GET /api/home_page_content": text,
  "GET /api/channel": data(z.array(channelRows.channelRow)),
  "GET /api/channel/search": data(z.array(channelRows.channelRow)),
  "GET /api/channel/{id}": data(channelRows.channelRow),
  "POST /api/channel": nothing,
  "PUT /api/channel": data(channelRows.channelRow),
  "DELETE /api/channel/{id}": nothing,
  "GET /api/channel/models": data(z.array(rows.modelRow)),
  "GET /api/channel/models_enabled": names,
  "GET /api/channel/test": nothing,
  "GET /api/channel/test/{id}": z.object({ time: z.number().meta({ description: "Seconds" }) }),
  "POST /api/channel/batch": count,
  "POST /api/channel/batch/tag": count,
  "PUT /api/channel/tag": nothing,
  "POST /api/channel/tag/enabled": nothing,
  "POST /api/channel/tag/disabled": nothing,
  "GET /api/channel/update_balance": data(
    z.strictObject({
      updated: z.int(),
      failed: z.array(z.strictObject({ id: z.int(), name: z.string() })),
    }),
  ),
  "GET /api/channel/update_balance/{id}": z.object({ balance: z.number() }),
  "GET /api/channel/fetch_models/{id}": names,
  "POST /api/channel/fetch_models": names,
  "POST /api/channel/copy/{id}": data(z.strictObject({ id: z.int() })),
  "GET /api/channel/keys/{id}": data(z.array(channelRows.channelKeyRow)),
  "POST /api/channel/keys/{id}": count,
  "PUT /api/channel/keys/{id}": nothing,
  "DELETE /api/channel/keys/{id}": nothing,
  "DELETE /api/channel/circuits/{id}": nothing,
  "GET /api/channel/test_run": data(channelRows.testRun.nullable()),
  "DELETE /api/channel/test_run": nothing,
  "POST /api/channel/fix": count,
  "DELETE /api/channel/disabled": count,
  "GET /api/data": data(z.array(rows.usageRow)),
  "GET /api/data/self": data(z.array(rows.usageRow)),
  "GET /api/group": names,
  "GET /api/log": logs,
  "GET /api/log/self": ownLogs,
  "GET /api/log/search": logRows,
  "GET /api/log/self/search": ownLogRows,
  "GET /api/log/token": ownLogRows,
  "GET /api/log/stat": sums,
  "GET /api/log/self/stat": sums,
  "DELETE /api/log": count,
  "GET /api/mj": data(z.array(rows.drawingRow)),
  "GET /api/mj/self": data(z.array(rows.drawingRow)),
  "GET /api/task": data(z.array(rows.taskRow)),
  "GET /api/task/self": data(z.array(rows.taskRow)),
  "GET /api/models": data(z.record(z.string(), z.array(z.string()))),
  "GET /api/oauth/state": z.object({ data: z.string(), url: z.string().optional() }),
  "GET /api/oauth/github": signedInOrBound,
  "GET /api/oauth/linuxdo": signedInOrBound,
  "GET /api/oauth/oidc": signedInOrBound,
  "GET /api/oauth/wechat": signedInOrBound,
  "GET /api/oauth/telegram/login": signedInOrBound,
  "GET /api/oauth/wechat/bind": nothing,
  "GET /api/oauth/telegram/bind": null,
  "GET /api/oauth/email/bind": nothing,
  "DELETE /api/oauth/github": nothing,
  "DELETE /api/oauth/linuxdo": nothing,
  "DELETE /api/oauth/oidc": nothing,
  "DELETE /api/oauth/wechat": nothing,
  "DELETE /api/oauth/telegram": nothing,
  "GET /api/option": data(z.array(z.strictObject({ key: z.string(), value: z.string() }))),
  "PUT /api/option": nothing,
  "POST /api/option/rest_model_ratio": nothing,
  "GET /api/pricing": z.object({
    data: z.array(rows.priceRow),
    group_ratio: z.record(z.string(), z.number()),
    usable_group: z.record(z.string(), z.string()),
  }),
  "GET /api/redemption": codes,
  "GET /api/redemption/search": codes,
  "GET /api/redemption/{id}": data(rows.redemptionRow),
  "POST /api/redemption": names,
  "PUT /api/redemption": data(rows.redemptionRow),
  "DELETE /api/redemption/{id}": nothing,
  "GET /api/reset_password": nothing,
  "GET /api/verification": nothing,
  "GET /api/status": data(rows.statusRow),
  "GET /api/status/test": nothing,
  "POST /api/stripe/webhook": null,
  "GET /api/token": data(z.array(rows.tokenRow)),
  "GET /api/token/search": data(z.array(rows.tokenRow)),
  "GET /api/token/{id}": data(rows.tokenRow),
  "POST /api/token": data(rows.tokenRow),
  "PUT /api/token": data(rows.tokenRow),
  "DELETE /api/token/{id}": nothing,
  "POST /api/token/batch": count,
  "POST /api/token/{id}/key": data(z.strictObject({ key: z.string() })),
  "POST /api/token/{id}/rotate": data(rows.tokenRow),
  "POST /api/user/login": signedIn,
  "POST /api/user/login/2fa": signedIn,
  "GET /api/user/logout": nothing,
  "POST /api/user/passkey/login/begin": anything,
  "POST /api/user/passkey/login/finish": signedIn,
  "GET /api/user/passkey": data(z.array(rows.passkeyRow)),
  "PUT /api/user/passkey": nothing,
  "DELETE /api/user/passkey": nothing,
  "POST /api/user/passkey/register/begin": anything,
  "POST /api/user/passkey/register/finish": data(rows.passkeyRow),
  "GET /api/user/2fa": data(rows.factorsRow),
  "POST /api/user/2fa/setup": data(z.strictObject({ secret: z.string(), uri: z.string(), qr_code: z.string() })),
  "POST /api/user/2fa/enable": recoveryCodes,
  "POST /api/user/2fa/disable": nothing,
  "POST /api/user/2fa/recovery_codes": recoveryCodes,
  "DELETE /api/user/{id}/2fa": nothing,
  "GET /api/user/confirm": data(z.strictObject({ methods: z.array(z.string()) })),
  "POST /api/user/confirm": nothing,
  "POST /api/user/confirm/passkey/begin": anything,
  "POST /api/user/confirm/passkey/finish": nothing,
  "GET /api/user/session": data(z.array(rows.sessionRow)),
  "DELETE /api/user/session": nothing,
  "POST /api/user/session/revoke_others": count,
  "POST /api/user/register": nothing,
  "POST /api/user/reset": text,
  "GET /api/user/self": data(rows.userRow),
  "PUT /api/user/self": nothing,
  "DELETE /api/user/self": nothing,
  "GET /api/user/token": text,
  "GET /api/user/models": names,
  "GET /api/user/self/groups": groups,
  "GET /api/user/groups": groups,
  "PUT /api/user/setting": nothing,
  "POST /api/user/setting/wxpusher": nothing,
  "GET /api/user/notification": data(z.strictObject({ unread: z.int(), items: z.array(rows.noticeRow) })),
  "POST /api/user/notification/read": nothing,
  "POST /api/user/notification/announcement": nothing,
  "GET /api/user/aff": text,
  "POST /api/user/aff_transfer": nothing,
  "POST /api/user/topup": data(z.int().meta({ description: "Quota" })),
  "GET /api/user/topup": orders,
  "GET /api/user/topup/self": orders,
  "POST /api/user/amount": text,
  "POST /api/user/stripe/amount": text,
  "POST /api/user/pay": z.object({ data: z.record(z.string(), z.string()), url: z.string() }),
  "POST /api/user/stripe/pay": data(z.strictObject({ pay_link: z.string() })),
  "GET /api/user/epay/notify": null,
  "POST /api/user/epay/notify": null,
  "GET /api/user/ledger": pageOf(rows.ledgerRow),
  "GET /api/user": users,
  "GET /api/user/search": users,
  "GET /api/user/{id}": data(rows.userRow),
  "POST /api/user": data(rows.userRow),
  "PUT /api/user": data(rows.userRow),
  "DELETE /api/user/{id}": nothing,
  "POST /api/user/manage": data(z.strictObject({ role: z.int(), status: z.int() })),
  "POST /pg/chat/completions": null,
  "POST /pg/images/generations": null,
  "POST /pg/images/edits": null,
  "POST /pg/audio/speech": null,
  "POST /pg/audio/transcriptions": null,
  "POST /pg/embeddings": null,
  "GET /pg/videos/{id}/content": null,
  "GET /pg/charge": data(
    z.strictObject({ quota: z.int(), prompt_tokens: z.int(), completion_tokens: z.int() }).nullable(),
  ),
};

/** The fields beside `success` and `message` in refusals that have more. */
export const apiRefusals: Record<string, z.ZodObject> = {
  "POST /api/user/login": data(rows.ticketRow).partial(),
};
