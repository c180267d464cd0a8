import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PrefilledText, REPEATED_MIN, RepeatedText, type TextJoin } from "./text-join";

/** Everything that goes beyond; null = the texts differ. */
function joined(join: TextJoin, pieces: readonly string[]): string | null {
  let beyond = "";
  for (const piece of pieces) {
    const more = join.push(piece);
    if (more === null) return null;
    beyond += more;
  }
  const rest = join.end();
  return rest === null ? null : beyond + rest;
}

/** The text in pieces cut anywhere, also between the halves of a character, some of them empty. */
function pieces(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat(text.length), { maxLength: 12 }).map((cuts) => {
    const at = [0, ...cuts.sort((a, b) => a - b), text.length];
    return at.slice(1).map((end, i) => text.slice(at[i], end));
  });
}

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: fc.constantFrom("a", "b", "\ud83c", "\udf0a", " ", "\\", "\n"), maxLength: 60 }),
);
const whole = anyText.chain((text) =>
  fc.record({ text: fc.constant(text), at: fc.nat(text.length), said: pieces(text) }),
);

describe("an answer that says everything again", () => {
  test("gives what goes beyond the client's text, wherever both are cut (issue 12)", () => {
    fc.assert(
      fc.property(whole, ({ text, at, said }) => {
        expect(joined(new RepeatedText(text.slice(0, at)), said)).toBe(text.slice(at));
      }),
    );
  });

  test("differs when one character does, or when it ends too soon", () => {
    fc.assert(
      fc.property(whole, fc.nat(), ({ text, at, said }, place) => {
        fc.pre(at > 0);
        const before = text.slice(0, at);
        const wrong = place % at;
        const other = before[wrong] === "x" ? "y" : "x";
        expect(joined(new RepeatedText(before.slice(0, wrong) + other + before.slice(wrong + 1)), said)).toBeNull();
        expect(joined(new RepeatedText(`${text}!`), said)).toBeNull();
      }),
    );
  });
});

describe("an answer that was given its beginning", () => {
  const given = fc.string({ unit: "binary", minLength: REPEATED_MIN, maxLength: 60 });

  test("loses and doubles nothing, whether it says the beginning again or not (issue 12)", () => {
    const told = fc.record({
      given,
      tail: fc.constantFrom("", " ", "\n\n", " \n"),
      isEcho: fc.boolean(),
      hasTail: fc.boolean(),
      rest: anyText,
    });
    fc.assert(
      fc.property(
        told.chain((values) => pieces(saidOf(values)).map((said) => ({ ...values, said }))),
        ({ given, tail, isEcho, hasTail, rest, said }) => {
          // What looks like the tail is taken for it.
          fc.pre(hasTail || tail === "" || !rest.startsWith(tail[0] as string));
          fc.pre(!rest.startsWith(given.slice(0, REPEATED_MIN)));
          expect(joined(new PrefilledText(given, tail, true), said)).toBe(rest);
          if (!isEcho) expect(joined(new PrefilledText(given, tail, false), said)).toBe(rest);
        },
      ),
    );
  });

  test("differs when it begins anew and says something else (issue 12)", () => {
    const beginning = "It was the best of times, ";
    expect(joined(new PrefilledText(beginning, "", true), ["It was the best", " of days"])).toBeNull();
    expect(joined(new PrefilledText(beginning, "", true), ["It was the best of"])).toBeNull();
    expect(joined(new PrefilledText(beginning, "", true), ["It was the worst"])).toBe("It was the worst");
  });

  test("loses nothing of a text that repeats itself: where no echo is expected, the same words again differ (issue 12)", () => {
    const laughing = "ha".repeat(10);
    expect(joined(new PrefilledText(laughing, "", false), ["ha".repeat(30)])).toBeNull();
    expect(joined(new PrefilledText(laughing, "", true), ["ha".repeat(30)])).toBe("ha".repeat(20));
  });
});

type Told = { given: string; tail: string; isEcho: boolean; hasTail: boolean; rest: string };

function saidOf({ given, tail, isEcho, hasTail, rest }: Told): string {
  return (isEcho ? given : "") + (hasTail ? tail : "") + rest;
}
