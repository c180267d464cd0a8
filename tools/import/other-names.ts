import { cut } from "./values";

const NAME_MAX = 64;
const NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9];

/** Names that are tried for an account whose name is taken: NAME-2 to NAME-9. */
export const otherNames = (username: string): string[] =>
  NUMBERS.map((number) => `${cut(username, NAME_MAX - 2)}-${number}`);
