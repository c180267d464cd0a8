// Who: a caller with a small balance, who asks many times at once for completions, embeddings, rankings and moderations, with every field that the
// official clients know; who waits for the answers, or leaves when the upstream has begun.
// What must hold: the balance never falls below 0 where the upstream charges as much as its provider's rules allow.
import { describe, expect, test } from "vitest";
import { operations } from "@/lib/relay/operations";
import { MEDIA_WAYS, placeOf, setUpAttacks, TEXT_WAYS } from "./overspend-harness";

const { expectNoDebt } = setUpAttacks(TEXT_WAYS);

/** These have tests of their own: overspend, overspend-sessions and overspend-tasks. */
const ELSEWHERE = ["chat", "realtime", "drawing", "music", "videos"];

test("every path of every operation is attacked (B317)", () => {
  const attacked = new Set([...TEXT_WAYS, ...MEDIA_WAYS].map(({ path }) => placeOf(path)));
  const all = operations.flatMap(({ id, endpoints }) => endpoints.map((_, at) => `${id} ${at}`));
  const others = all.filter((place) => !attacked.has(place)).map((place) => place.split(" ")[0]);
  expect([...new Set(others)]).toEqual(ELSEWHERE);
});

describe.each(TEXT_WAYS)("$path with $model", (way) => {
  test("every field, and twenty plain ones at once, of which some leave (B317)", () => expectNoDebt(way), 120_000);
});
