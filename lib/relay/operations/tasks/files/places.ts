import { RelayError } from "../../../base/relay-error";

const OF_USER = 8;
const OF_PROCESS = 64;

/** How many files are streamed at a time: each is a connection to a provider, and may take minutes. */
export class FilePlaces {
  private readonly byUser = new Map<number, number>();
  private all = 0;

  /** Returns what gives the place back. Throws 429 or 503. */
  enter(userId: number): () => void {
    const own = this.byUser.get(userId) ?? 0;
    if (own >= OF_USER) {
      throw new RelayError("too_many_videos", `no more than ${OF_USER} videos at a time`, { retryAfter: 5 });
    }
    if (this.all >= OF_PROCESS) {
      throw new RelayError("overloaded", "too many videos are being fetched", { retryAfter: 5 });
    }
    this.byUser.set(userId, own + 1);
    this.all += 1;
    return () => {
      const left = (this.byUser.get(userId) ?? 1) - 1;
      if (left > 0) this.byUser.set(userId, left);
      else this.byUser.delete(userId);
      this.all -= 1;
    };
  }
}
