import { LOG_TYPE } from "@/lib/row-status";

/** A row as a settlement writes it, with the id that it has in every database of the test. */
export type TestRow = { id: number; json: Record<string, unknown> };

export const MODELS = ["gpt-4o", "gpt_4o", "claude-é😀", "it's", 'a"b\\c', "50%", "deepseek-chat"];
export const CAUSES = ["bad gateway", "it's over", "\\'; drop table usage_logs --", "时间到了 😀"];
const GROUPS = ["default", "vip", "o'group"];

/** Numbers from 0 to below 1, the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const HEX = "0123456789abcdef";

/** Rows of all kinds over some days before `now`, the oldest first: many within the last hours, some at the same second. */
export function randomRows(count: number, now: number, random: () => number): Record<string, unknown>[] {
  const below = (bound: number) => Math.floor(random() * bound);
  const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
  const times = Array.from({ length: count }, () => now - below(random() < 0.5 ? 7_000 : 5 * 86_400)).sort(
    (a, b) => a - b,
  );
  return times.map((at, place) => {
    const type = oneOf([2, 2, 2, 2, 2, 2, 5, 5, 5, 1, 3, 4]);
    const isFailure = type === LOG_TYPE.error;
    const user = 1 + below(4);
    const channel = below(4);
    const model = oneOf(MODELS);
    const isRequest = type === LOG_TYPE.consume || isFailure;
    const stamp = (at * 1_000).toString(16).padStart(12, "0");
    const tail = Array.from({ length: 12 }, () => HEX[below(16)]).join("");
    const uuid = `${stamp.slice(0, 8)}-${stamp.slice(8)}-7abc-9def-${tail}`;
    /** No UUID, one without a time, and one of another time. */
    const odd = [`odd '${place}' 😀`, uuid.replace("-7abc", "-4abc"), uuid.replace(/^..../, "0185")];
    const attempts = [
      { channel: 1 + below(3), model: oneOf(MODELS), outcome: oneOf(["failed", "limited", "timeout"]), ms: below(900) },
      { channel, outcome: oneOf(["ok", "cut", "gone", "failed"]), ms: below(90_000), start_ms: 3 },
    ];
    return {
      request_id: isRequest ? oneOf([...Array(17).fill(uuid), ...odd]) : oneOf([`end:${place}`, `event:${uuid}`]),
      created_at: at,
      type,
      user_id: user,
      username: `user'${user}`,
      token_id: isRequest ? user * 10 + below(2) : 0,
      token_name: oneOf(["main", "o'key", "钥匙"]),
      channel_id: isRequest ? channel : 0,
      model_name: isRequest ? model : "",
      group: isRequest ? oneOf(GROUPS) : "",
      quota: isFailure ? 0 : below(20) === 0 ? 2 ** 50 + below(1_000) : below(5_000),
      cost: isRequest && below(3) > 0 ? below(6_000) : null,
      unbilled_cost: isFailure && below(2) === 0 ? below(500) : 0,
      unknown_costs: isRequest && below(4) > 0 ? below(2) : null,
      prompt_tokens: isRequest ? below(4_000) : 0,
      completion_tokens: isRequest ? below(900) : 0,
      use_time_ms: below(400_000),
      first_token_ms: below(2) === 0 ? below(9_000) : null,
      is_stream: below(2) === 0,
      hidden: below(15) === 0,
      client_ip: oneOf(["203.0.113.7", "2001:db8::1", ""]),
      content: oneOf(["", "line\nbreak", "it's \\ 100% 😀", "under_score"]),
      status_code: isFailure ? oneOf([400, 429, 502, 504]) : null,
      error_code: isFailure ? oneOf(["bad_response", "o'code"]) : "",
      error_cause: isFailure ? oneOf(CAUSES) : "",
      repeats: isFailure && below(3) === 0 ? below(50) : 0,
      other: {
        text: "😀 'quoted' \\ \"",
        ...(isFailure
          ? { status_code: oneOf([400, "429", 401, 502, 524]) }
          : { group_ratio: 1.5, cache_tokens: below(9) }),
        ...(isFailure && below(4) === 0 ? { not_offered: true } : {}),
        ...(below(12) === 0 && type === LOG_TYPE.consume ? { model_test: true } : {}),
        ...(below(6) === 0 && type === LOG_TYPE.consume ? { outcome: oneOf(["cut", "gone", "usage", "lost"]) } : {}),
        ...(below(9) === 0 ? { bad_events: below(4) } : {}),
        ...(below(9) === 0 && type === LOG_TYPE.consume
          ? { meters: [{ meter: "image", quantity: 1 + below(2) }], upstream_model_name: "up's" }
          : {}),
        ...(below(7) === 0
          ? {
              lines: [
                { kind: "cacheWrite", quantity: below(70) },
                { kind: "prompt", quantity: 3 },
              ],
            }
          : {}),
        admin_info: { use_channel: [String(channel)], ...(isRequest && below(4) === 0 ? { attempts } : {}) },
      },
    };
  });
}
