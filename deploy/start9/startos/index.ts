// almanac for StartOS. The release writes release.ts, which names its image by digest.
import { buildManifest, FileHelper, setupManifest, StartSdk, T, VersionGraph, VersionInfo } from '@start9labs/start-sdk'
import { image, site, source, version } from './release'

const port = 8402

const described = setupManifest({
  id: 'almanac',
  title: 'almanac',
  license: 'MIT',
  packageRepo: source,
  upstreamRepo: source,
  marketingUrl: site,
  donationUrl: null,
  description: {
    short: 'Checked facts about how machines and AI agents pay',
    long: 'Serves source-checked reference data about payment and agent protocols as a site and as MCP tools, and sells full-text searches of them over your Lightning wallet, with L402 or MPP.',
  },
  volumes: ['main'],
  images: { almanac: { source: { dockerTag: image }, arch: ['x86_64', 'aarch64'] } },
  dependencies: {},
})
const sdk = StartSdk.of().withManifest(described).build(true)
const current = VersionInfo.of({ version, releaseNotes: '', migrations: {} })
const versions = VersionGraph.of({ current, other: [] })

const address = FileHelper.string({ base: sdk.volumes.main, subpath: 'address' })
const wallet = FileHelper.string({ base: sdk.volumes.main, subpath: 'wallet' })

const configure = sdk.Action.withInput(
  'configure',
  {
    name: 'Configure',
    description: 'The public address, and the wallet that is paid',
    warning: null,
    allowedStatuses: 'any',
    group: null,
    visibility: 'enabled',
  },
  sdk.InputSpec.of({
    address: sdk.Value.text({
      name: 'Public address',
      description: 'Where readers and buyers reach the site, as in https://example.org',
      required: true,
      default: null,
      patterns: [{ regex: '^https?://[^/\\s]+$', description: 'https://, a host, and no path' }],
    }),
    wallet: sdk.Value.text({
      name: 'Nostr Wallet Connect',
      description: 'A connection that may create invoices and look them up. Empty: nothing is sold',
      required: false,
      default: null,
      masked: true,
      patterns: [{ regex: '^nostr\\+walletconnect://\\S+$', description: 'nostr+walletconnect://…' }],
    }),
  }),
  async () => ({ address: (await address.read().once()) ?? undefined, wallet: (await wallet.read().once()) || undefined }),
  async ({ effects, input }) => {
    await wallet.write(effects, input.wallet ?? '')
    await address.write(effects, input.address)
    return null
  },
)

const interfaces = sdk.setupInterfaces(async ({ effects }) => {
  const origin = await sdk.MultiHost.of(effects, 'site').bindPort(port, { protocol: 'http' })
  return [
    await origin.export([
      sdk.createInterface(effects, {
        id: 'site',
        name: 'Site',
        description: 'The pages, MCP tools and paid search',
        type: 'ui',
        masked: false,
        schemeOverride: null,
        username: null,
        path: '',
        query: {},
      }),
    ]),
  ]
})

const serve = sdk.setupMain(async ({ effects }) => {
  const base = await address.read().const(effects)
  if (!base) throw new Error('Run the action "Configure" first')
  const sells = !!(await wallet.read().const(effects))
  return sdk.Daemons.of(effects).addDaemon('almanac', {
    subcontainer: sdk.SubContainer.of(
      effects,
      { imageId: 'almanac' },
      sdk.Mounts.of().mountVolume({
        volumeId: 'main',
        subpath: null,
        mountpoint: '/state',
        readonly: false,
        idmap: [{ fromId: 0, toId: 65532 }],
      }),
      'almanac',
    ),
    exec: {
      command: ['/almanac', 'serve'],
      user: '65532',
      env: {
        ALMANAC_HTTP: `:${port}`,
        ALMANAC_GRPC: 'off',
        ALMANAC_STATE: '/state',
        ALMANAC_BASE_URL: base,
        ALMANAC_TRUSTED_PROXY: `${await sdk.getOsIp(effects)}/32`,
        ALMANAC_PAYMENTS: sells ? 'nwc' : 'off',
        ...(sells && { ALMANAC_NWC_CONNECTION: '/state/wallet' }),
      },
    },
    ready: {
      display: 'Site',
      fn: () =>
        sdk.healthCheck.checkPortListening(effects, port, {
          successMessage: 'The site answers',
          errorMessage: 'The site does not answer',
        }),
    },
    requires: [],
  })
})

const backups = sdk.setupBackups(async () => sdk.Backups.ofVolumes('main'))
const configurable = sdk.Actions.of().addAction(configure)
const first = sdk.setupOnInit(async (effects, kind) => {
  if (kind === 'install') await sdk.action.createOwnTask(effects, configure, 'critical', { reason: 'The site needs its public address' })
})

export const { createBackup, main, init, uninit, manifest, actions }: T.ABI = {
  createBackup: backups.createBackup,
  main: serve,
  init: sdk.setupInit(backups.restoreInit, versions, interfaces, configurable, first),
  uninit: sdk.setupUninit(versions),
  manifest: buildManifest(versions, described),
  actions: configurable,
}
