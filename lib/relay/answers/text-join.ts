/**
 * Finds where the text of a second answer goes beyond what the client has of the first. Pieces may be cut anywhere, also
 * within a surrogate pair.
 */
export type TextJoin = {
  /** Returns what goes beyond; "" = nothing yet, null = the two texts differ. */
  push(piece: string): string | null;
  /** Called when the text is over; returns as `push` does. */
  end(): string | null;
};

/** A beginning of the client's text that is said again in so many characters is no chance. */
export const REPEATED_MIN = 16;

/** The second answer says everything from the start. `text`: what the client has. */
export class RepeatedText implements TextJoin {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  push(piece: string): string | null {
    const { text, at } = this;
    if (at === text.length) return piece;
    const end = Math.min(text.length, at + piece.length);
    if (!text.startsWith(piece.slice(0, end - at), at)) return null;
    this.at = end;
    return piece.slice(end - at);
  }

  end(): string | null {
    return this.at === this.text.length ? "" : null;
  }
}

/**
 * The second answer was given a text to go on from. `given`: that text. `tail`: what the client has beyond it. `echoes`: the
 * upstream says that text again first. One that does so unasked began anew, or repeats itself: nobody can tell, so they differ.
 */
export class PrefilledText implements TextJoin {
  private readonly given: string;
  private readonly tail: string;
  private readonly echoes: boolean;
  /** Everything so far, which may be `given` once more; null = that is decided. */
  private echo: string | null = "";
  /** How much of `tail` was said; null = that is decided. */
  private tailAt: number | null = 0;

  constructor(given: string, tail: string, echoes: boolean) {
    this.given = given;
    this.tail = tail;
    this.echoes = echoes;
  }

  push(piece: string): string | null {
    if (this.echo === null) return this.afterTail(piece);
    const { given } = this;
    const before = this.echo.length;
    const said = this.echo + piece;
    if (said.length < given.length && given.startsWith(piece, before)) {
      this.echo = said;
      return "";
    }
    this.echo = null;
    if (this.echoes && said.startsWith(given)) return this.afterTail(said.slice(given.length));
    return isAgain(said, given) ? null : this.afterTail(said);
  }

  end(): string | null {
    const said = this.echo ?? "";
    this.echo = null;
    return isAgain(said, this.given) ? null : this.afterTail(said);
  }

  /** Without the part that the client has beyond the text that was given. */
  private afterTail(piece: string): string {
    if (this.tailAt === null) return piece;
    const { tail } = this;
    let at = 0;
    while (at < piece.length && this.tailAt < tail.length && piece[at] === tail[this.tailAt]) {
      at += 1;
      this.tailAt += 1;
    }
    if (at < piece.length || this.tailAt === tail.length) this.tailAt = null;
    return piece.slice(at);
  }
}

/** Whether the answer began anew instead of going on. */
function isAgain(said: string, given: string): boolean {
  return given.length >= REPEATED_MIN && said.startsWith(given.slice(0, REPEATED_MIN));
}
