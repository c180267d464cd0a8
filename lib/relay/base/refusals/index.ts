export { refusalTopics, type Topic } from "./refusal-topics";
