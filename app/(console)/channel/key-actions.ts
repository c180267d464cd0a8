import { addKeys, chooseKeyMode, removeKey, setKeyStatus, testChannel } from "@/components/channel/actions";

/** Shared by the channel editor and the channel's detail page. */
export const keyActions = { addKeys, setKeyStatus, removeKey, chooseKeyMode, testChannel };
