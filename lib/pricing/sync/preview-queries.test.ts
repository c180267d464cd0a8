import { expect, test } from "vitest";
import type { Offer, OfferedPrice } from "./offer";
import { convertOffer } from "./preview-queries";

const offer = (price: OfferedPrice): Offer => ({ model: "m", price, isPartial: true });

test("every amount of an offer is converted, exactly to the digits of a price, and what is not said stays so", () => {
  const tokens = { kind: "tokens", input: 0.1, output: 2.5, cached: null, cacheWrite: 0 } as const;
  expect(convertOffer(offer({ ...tokens, meters: { picture: 0.04 } }), 7.3)).toEqual(
    offer({ kind: "tokens", input: 0.73, output: 18.25, cached: null, cacheWrite: 0, meters: { picture: 0.292 } }),
  );
  expect(convertOffer(offer({ kind: "call", call: 0.1 }), 7.3)).toEqual(offer({ kind: "call", call: 0.73 }));
  expect(convertOffer(offer({ kind: "meters", meters: { second: 0.0001 } }), 0.92)).toEqual(
    offer({ kind: "meters", meters: { second: 0.000092 } }),
  );
});

test("a price that is none any more when converted is refused and not rounded to nothing", () => {
  const tiny = { kind: "tokens", input: 0.00001, output: null, cached: null, cacheWrite: null } as const;
  expect(convertOffer(offer(tiny), 1e-6)).toEqual({ model: "m", reason: "tooSmall" });
  expect(convertOffer(offer({ kind: "call", call: 900_000 }), 7.3)).toEqual({ model: "m", reason: "tooHigh" });
});
