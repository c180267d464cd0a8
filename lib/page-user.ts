/**
 * The header with which the console says whom its page was made for: a user's id, or NOBODY. It grants nothing; the
 * session alone says who acts. A call is refused when the two differ, because somebody else has signed in meanwhile.
 */
export const PAGE_USER_HEADER = "x-weir-page-user";

/** The same where a browser sends no headers of ours: in the address of a stream. */
export const PAGE_USER_PARAM = "page_user";

/** Says on an answer that the call was refused because its page was made for another user. */
export const OTHER_USER_HEADER = "x-weir-other-user";

/** Answers who is signed in. A page that asks this does not say whom it was made for. */
export const SESSION_PATH = "/session";

/** The page was made for somebody who is not signed in. */
export const NOBODY = "0";

/** The header in which proxy.ts passes path and query to the pages; a value sent by the client is overwritten. */
export const PATH_HEADER = "x-weir-path";
