export {
  AddressBlocks,
  isAddressBlock,
  isLoopback,
  isLoopbackHost,
  isPrivateHost,
  plainAddress,
  withoutPorts,
} from "./addresses.ts";
export { listen, type RunningServer } from "./http-server.ts";
