// Who: a caller with a small balance, who asks many times at once for pictures, speech and transcripts, with every field that the
// official clients know; who waits for the answers, or leaves when the upstream has begun.
// What must hold: the balance never falls below 0 where the upstream charges as much as its provider's rules allow.
import { describe, test } from "vitest";
import { MEDIA_WAYS, setUpAttacks } from "./overspend-harness";

const { expectNoDebt } = setUpAttacks(MEDIA_WAYS);

describe.each(MEDIA_WAYS)("$path with $model", (way) => {
  test("every field, and twenty plain ones at once, of which some leave (B317)", () => expectNoDebt(way), 120_000);
});
