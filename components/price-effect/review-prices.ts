import type { OptionChange } from "@/lib/option/types";

/** Asks before prices are saved; true = save them. */
export type ReviewPrices = (changes: readonly OptionChange[]) => Promise<boolean>;

let reviewer: ReviewPrices | null = null;

/** The page that can show the effect of prices says so while it is there. */
export function registerReview(review: ReviewPrices): () => void {
  reviewer = review;
  return () => {
    if (reviewer === review) reviewer = null;
  };
}

/** True at once where no price is among the changes, or the page shows no effects. */
export async function reviewPrices(changes: readonly OptionChange[]): Promise<boolean> {
  return reviewer ? reviewer(changes) : true;
}
