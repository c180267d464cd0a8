// Who: a caller with a small balance, who asks many times at once for pictures, speech and transcripts, with every field that the
// official clients know; who waits for the answers, or leaves when the upstream has begun.
// What must hold: the balance never falls below 0 where the upstream charges as much as its provider's rules allow.
import { describe, expect, test } from "vitest";
import { MEDIA_WAYS, setUpAttacks, timesOf } from "./overspend-harness";

const { attack } = setUpAttacks(MEDIA_WAYS);

describe.each(MEDIA_WAYS)("$path with $model", (way) => {
  test("every field, and forty plain ones at once, of which some leave (B317)", async () => {
    const plain = { what: "plain", more: {}, times: 40 };
    const attacks = await attack(way, [plain, ...way.fields.map((field) => ({ ...field, times: timesOf(way) }))]);
    expect(attacks.filter(({ left }) => left < 0)).toEqual([]);
    expect(attacks[0]?.served).toBeGreaterThan(0);
    expect(attacks.filter(({ served }) => served > 0).length).toBeGreaterThan(1);
  });
});
