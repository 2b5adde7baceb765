// pprof.cjs PROFILE - a profile of pprof as npm's pprof-format reads it, as lines of folded stacks.
const fs = require('fs'), zlib = require('zlib')
const { Profile } = require('pprof-format')

const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])))
const text = (i) => profile.stringTable.strings[Number(i)]
const by_id = (list) => new Map(list.map((one) => [Number(one.id), one]))
const mappings = by_id(profile.mapping), locations = by_id(profile.location)
const base = 1n << 32n

function frame(id) {
    const location = locations.get(Number(id)), mapping = mappings.get(Number(location.mappingId))
    let address = BigInt(location.address)
    const first = mapping ? BigInt(mapping.memoryStart) - BigInt(mapping.fileOffset) : 0n // byte of the file
    if (first % base === 0n && first < 1n << 48n)
        address -= first
    return `${mapping ? text(mapping.filename) : '[unknown]'}+0x${address.toString(16)}`
}

for (const sample of profile.sample) {
    const label = (key) => sample.label.find((one) => text(one.key) === key) || { str: 0, num: 0 }
    const head = [text(label('comm').str), `pid ${label('pid').num}`, `tid ${label('tid').num}`]
    const frames = Array.from(sample.locationId).reverse().map(frame)
    console.log(`${[...head, ...frames].join(';')} ${sample.value[0]}`)
}
