import { addKeys, chooseKeyMode, removeKey, setKeyStatus, testChannel } from "./actions";

/** What can be done to the keys of a channel, in the editor and on its page. */
export const keyActions = { addKeys, setKeyStatus, removeKey, chooseKeyMode, testChannel };
