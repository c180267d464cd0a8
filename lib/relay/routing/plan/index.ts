export { chooseChannel } from "./choose-channel";
